"""What controllers make of workloads: pods, and which of those that run leave."""
