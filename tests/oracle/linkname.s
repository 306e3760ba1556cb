// Lets Go code be declared here and defined elsewhere: the group cycle of groups_since_*.go.
