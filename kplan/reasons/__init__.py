"""Why nodes refuse a pod: reasons grouped, in words, the one cause, and what evictions can do about it."""
