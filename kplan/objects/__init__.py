"""What one Kubernetes object means: models, quantities, selectors and the state read from one source."""
