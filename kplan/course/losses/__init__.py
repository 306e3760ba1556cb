"""Losses: what leaves with lost nodes, when, where it lands, and what is lost wherever it lands."""
