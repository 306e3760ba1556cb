"""What is sent to the server and how: requests, writes, leases."""
