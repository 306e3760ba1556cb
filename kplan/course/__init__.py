"""What happens next, a room for each: from trials, over evictions and returns, to rollouts, drains and losses.

Above the pipeline nothing else changes the cluster.
"""
