"""Drains: pods leave as budgets allow and land elsewhere, and how long that takes."""
