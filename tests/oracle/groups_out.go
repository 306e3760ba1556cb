package main

// GroupOut is one cycle of a pod group.
type GroupOut struct {
	Group     string                   `json:"group"`
	Gated     map[string]*StatusOut    `json:"gated,omitempty"` // members that PreEnqueue keeps out, and all others with them
	Condition *ConditionOut            `json:"condition,omitempty"`
	Of        map[string]*ConditionOut `json:"of,omitempty"` // conditions of the groups of a group of groups, by name
	Members   []*MemberOut             `json:"members,omitempty"`
	Victims   []string                 `json:"victims,omitempty"`
	Then      *GroupOut                `json:"then,omitempty"` // the next cycle, once the victims are gone
}

// ConditionOut is what the scheduler writes into the status of a group.
type ConditionOut struct {
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message,omitempty"`
}

// MemberOut is what became of one pod of a group.
type MemberOut struct {
	Pod       string `json:"pod"`
	Code      string `json:"code"`
	Message   string `json:"message,omitempty"`
	Nominated string `json:"nominated,omitempty"`
	Placed    string `json:"placed,omitempty"`
}
