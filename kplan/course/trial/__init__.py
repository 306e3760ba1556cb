"""Trials: what-ifs are taken, pods are tried one after another, those that wait are woken, kubelets are asked."""
