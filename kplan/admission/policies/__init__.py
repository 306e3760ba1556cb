"""What admission adds to pods and claims or refuses by objects of the cluster: classes, limits, quotas, defaults."""
