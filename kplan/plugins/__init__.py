"""The plugins of kube-scheduler: one file, or one folder for a heavy one, each with its Kubernetes name."""
