"""Explain: where a pod goes and why, or why it goes nowhere; of one pod, or of many, folded by cause."""

from kplan.studies.explain.pod import explain_pod, explain_pods

__all__ = ["explain_pod", "explain_pods"]
