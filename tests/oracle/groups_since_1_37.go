//go:build !k134 && !k135 && !k136

package main

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/util"
)

// rootOf is the key and the priority of what a pod has its turn with: its group, or the group of groups at the top.
func (w *world) rootOf(p *v1.Pod) (string, int32, bool) {
	root, err := w.hierarchy(p)
	if err != nil {
		return "", 0, false
	}
	if root.CompositePodGroup != nil {
		return root.GetKey(), util.CompositePodGroupPriority(root.CompositePodGroup), true
	}
	return root.Namespace + "/" + root.Name, util.PodGroupPriority(root.PodGroup), true
}

func (w *world) cycleOf(g *group) error {
	root, err := w.hierarchy(g.pods[0])
	if err != nil {
		return err
	}
	info := &framework.QueuedPodGroupInfo{PodGroupInfo: root, QueuedPodInfos: map[fwk.EntityKey][]*framework.QueuedPodInfo{}}
	for _, leaf := range leavesOf(root) {
		var mine []*v1.Pod
		for _, p := range g.pods {
			if *p.Spec.SchedulingGroup.PodGroupName == leaf.Name {
				mine = append(mine, p)
			}
		}
		infos, err := queued(mine)
		if err != nil {
			return err
		}
		for _, one := range infos {
			leaf.UnscheduledPods = append(leaf.UnscheduledPods, one.Pod)
		}
		if len(infos) > 0 {
			info.QueuedPodInfos[fwk.PodGroupKey(leaf.Namespace, leaf.Name)] = infos
		}
	}
	scheduleOnePodGroup(w.sched, w.ctx, info)
	return nil
}

// conditions reads what the scheduler wrote of each group with pods of its own, by name.
func (w *world) conditions(g *group) (map[string]*ConditionOut, error) {
	root, err := w.hierarchy(g.pods[0])
	if err != nil {
		return nil, err
	}
	all := map[string]*ConditionOut{}
	for _, leaf := range leavesOf(root) {
		pg, err := w.cs.SchedulingV1beta1().PodGroups(leaf.Namespace).Get(w.ctx, leaf.Name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		if one := conditionOf(pg.Status.Conditions); one != nil {
			all[leaf.Name] = one
		}
	}
	return all, nil
}

// inGroupCycle marks a state as one of a group cycle, like another.
func inGroupCycle(state *framework.CycleState, of fwk.CycleState) {
	state.SetPodGroupSchedulingCycle(of.GetPodGroupSchedulingCycle())
	state.SetPlacementCycleState(of.GetPlacementCycleState())
}

// joins: a group is as old as its oldest pod.
func (g *group) joins(p *v1.Pod) {
	name := p.Namespace + "/" + p.Name
	if p.CreationTimestamp.Before(&g.created) || p.CreationTimestamp.Equal(&g.created) && name < g.first {
		g.created, g.first = p.CreationTimestamp, name
	}
}

// ofGroup: a pod that PreEnqueue keeps out keeps out all of its group.
func (w *world) ofGroup(*v1.Pod) bool { return true }

// evicting: the message of a group says how many pods leave for it.
func (w *world) evicting(*group) bool { return false }
