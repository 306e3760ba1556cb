"""What a release is made of; see README.md."""
