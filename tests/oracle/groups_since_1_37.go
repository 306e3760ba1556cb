//go:build !k134 && !k135 && !k136

package main

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/util"
)

func (w *world) groupPriority(p *v1.Pod) (int32, bool) {
	pg, err := w.inf.Scheduling().V1beta1().PodGroups().Lister().PodGroups(p.Namespace).Get(*p.Spec.SchedulingGroup.PodGroupName)
	if err != nil {
		return 0, false
	}
	return util.PodGroupPriority(pg), true
}

func (w *world) cycleOf(g *group) error {
	p := g.pods[0]
	pg, err := w.inf.Scheduling().V1beta1().PodGroups().Lister().PodGroups(p.Namespace).Get(*p.Spec.SchedulingGroup.PodGroupName)
	if err != nil {
		return err
	}
	infos, err := queued(g.pods)
	if err != nil {
		return err
	}
	info := &framework.QueuedPodGroupInfo{
		PodGroupInfo:   &framework.PodGroupInfo{Namespace: pg.Namespace, Name: pg.Name, Type: fwk.PodGroupKeyType, PodGroup: pg},
		QueuedPodInfos: map[fwk.EntityKey][]*framework.QueuedPodInfo{fwk.PodGroupKey(pg.Namespace, pg.Name): infos},
	}
	for _, one := range infos {
		info.UnscheduledPods = append(info.UnscheduledPods, one.Pod)
	}
	scheduleOnePodGroup(w.sched, w.ctx, info)
	return nil
}

func (w *world) condition(g *group) (*ConditionOut, error) {
	p := g.pods[0]
	pg, err := w.cs.SchedulingV1beta1().PodGroups(p.Namespace).Get(w.ctx, *p.Spec.SchedulingGroup.PodGroupName, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	return conditionOf(pg.Status.Conditions), nil
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
