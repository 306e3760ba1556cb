"""Readiness: when pods are ready and gone, which kubelets refuse, who is left without a ready one; silent nodes."""
