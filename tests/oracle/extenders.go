package main

import (
	"sort"

	v1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

// passExtenders asks the extenders one by one about the nodes that passed the filters; what they refuse is written down.
func (w *world) passExtenders(p *v1.Pod, feasible []fwk.NodeInfo, statuses *framework.NodeToStatus, out *PodOut) ([]fwk.NodeInfo, error) {
	before := feasible
	for _, e := range w.sched.Extenders {
		if len(feasible) == 0 {
			break
		}
		if !e.IsInterested(p) {
			continue
		}
		left, failed, unresolvable, err := e.Filter(p, feasible)
		if err != nil {
			if e.IsIgnorable() {
				continue
			}
			return nil, err
		}
		for n, msg := range failed {
			if _, ok := unresolvable[n]; !ok {
				statuses.Set(n, fwk.NewStatus(fwk.Unschedulable, msg))
			}
		}
		for n, msg := range unresolvable {
			statuses.Set(n, fwk.NewStatus(fwk.UnschedulableAndUnresolvable, msg))
		}
		feasible = left
	}
	passed := map[string]bool{}
	for _, ni := range feasible {
		passed[ni.Node().Name] = true
	}
	for _, ni := range before {
		if n := ni.Node().Name; !passed[n] {
			out.Nodes[n].Verdict = st(statuses.Get(n))
			out.Refused = append(out.Refused, n)
		}
	}
	sort.Strings(out.Refused)
	out.Feasible = []string{}
	for n := range passed {
		out.Feasible = append(out.Feasible, n)
	}
	sort.Strings(out.Feasible)
	return feasible, nil
}

// prioritize adds what the extenders say to the scores of nodes.
func (w *world) prioritize(p *v1.Pod, feasible []fwk.NodeInfo, out *PodOut) {
	for _, e := range w.sched.Extenders {
		if !e.IsInterested(p) {
			continue
		}
		list, weight, err := e.Prioritize(p, feasible)
		if err != nil {
			continue
		}
		for _, hp := range *list {
			no := out.Nodes[hp.Host]
			if no == nil || no.Total == nil || !e.IsPrioritizer() {
				continue
			}
			score := hp.Score * weight * (maxNodeScore / extenderv1.MaxExtenderPriority)
			if no.Extenders == nil {
				no.Extenders = map[string]int64{}
			}
			no.Extenders[e.Name()] += score
			*no.Total += score
		}
	}
}

type keptCandidate struct {
	name    string
	victims *extenderv1.Victims
}

func (c *keptCandidate) Name() string                 { return c.name }
func (c *keptCandidate) NumPodGroupDisruptions() int  { return 0 } // extenders know nothing of groups
func (c *keptCandidate) Victims() *extenderv1.Victims { return c.victims }

// askExtenders lets extenders take candidates for preemption away, or change their victims.
func (w *world) askExtenders(dp *defaultpreemption.DefaultPreemption, f framework.Framework, p *v1.Pod, cands []preemption.Candidate) ([]preemption.Candidate, error) {
	if len(w.sched.Extenders) == 0 || len(cands) == 0 {
		return cands, nil
	}
	victims := dp.Evaluator.CandidatesToVictimsMap(cands)
	for _, e := range w.sched.Extenders {
		if !e.SupportsPreemption() || !e.IsInterested(p) {
			continue
		}
		left, err := e.ProcessPreemption(p, victims, f.SnapshotSharedLister().NodeInfos())
		if err != nil {
			if e.IsIgnorable() {
				continue
			}
			return nil, err
		}
		for n, v := range left {
			if v == nil || len(v.Pods) == 0 {
				if !e.IsIgnorable() {
					return nil, errNoVictim(n)
				}
				delete(left, n)
			}
		}
		if victims = left; len(victims) == 0 {
			break
		}
	}
	var kept []preemption.Candidate
	for n, v := range victims {
		kept = append(kept, &keptCandidate{n, v})
	}
	sort.Slice(kept, func(i, j int) bool { return kept[i].Name() < kept[j].Name() })
	return kept, nil
}

type errNoVictim string

func (e errNoVictim) Error() string {
	return "expected at least one victim pod on node \"" + string(e) + "\""
}
