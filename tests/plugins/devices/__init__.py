"""Tests of devices: what drivers publish, and the selectors they are held against."""
