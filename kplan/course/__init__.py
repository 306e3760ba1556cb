"""What happens next: trials, evictions and returns, controllers and rollouts, budgets.

Above the pipeline nothing else changes the cluster.
"""
