//go:build !k134 && !k135 && !k136

package main

import (
	"context"
	"sort"
	_ "unsafe" // the group cycle is a method that is not exported

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	cache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/util"
)

//go:linkname scheduleOnePodGroup k8s.io/kubernetes/pkg/scheduler.(*Scheduler).scheduleOnePodGroup
func scheduleOnePodGroup(s *scheduler.Scheduler, ctx context.Context, info *framework.QueuedPodGroupInfo)

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

// placement is the nodes that the cycle looks at.
func (w *world) placement(framework.Framework) []fwk.NodeInfo {
	nodes, err := private(w.sched, "nodeInfoSnapshot").Interface().(*cache.Snapshot).ListNodesInPlacement()
	if err != nil {
		return nil
	}
	return nodes
}

type sorted struct{ fwk.PlacementGeneratePlugin }

func (s sorted) GeneratePlacements(ctx context.Context, state fwk.PodGroupCycleState, pg fwk.PodGroupInfo, parent *fwk.Placement) (*fwk.GeneratePlacementsResult, *fwk.Status) {
	res, status := s.PlacementGeneratePlugin.GeneratePlacements(ctx, state, pg, parent)
	if res != nil {
		sort.Slice(res.Placements, func(i, j int) bool { return res.Placements[i].Name < res.Placements[j].Name })
	}
	return res, status
}

// sortPlacements has placements tried in the order of their names, which is that of a map.
func (w *world) sortPlacements() {
	for _, f := range w.sched.Profiles {
		list := private(f, "placementGeneratePlugins")
		plugins := list.Interface().([]fwk.PlacementGeneratePlugin)
		for i := range plugins {
			plugins[i] = sorted{plugins[i]}
		}
	}
}
