"""What an API server refuses, field by field and in its own words."""
