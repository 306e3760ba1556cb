"""Rules that several plugins share; plugins import these, never each other."""
