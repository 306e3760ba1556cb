"""What would be written, and what stands against it: all that is known before the first write."""
