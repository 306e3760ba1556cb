//go:build k136

package main

import (
	"context"
	"sort"
	"time"
	_ "unsafe" // the group cycle is a method that is not exported

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	cache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

//go:linkname scheduleOnePodGroup k8s.io/kubernetes/pkg/scheduler.(*Scheduler).scheduleOnePodGroup
func scheduleOnePodGroup(s *scheduler.Scheduler, ctx context.Context, info *framework.QueuedPodGroupInfo)

// groupPriority is that of the pod: groups have no turn of their own yet, the first of their pods brings them.
func (w *world) groupPriority(p *v1.Pod) (int32, bool) {
	_, err := w.inf.Scheduling().V1alpha2().PodGroups().Lister().PodGroups(p.Namespace).Get(*p.Spec.SchedulingGroup.PodGroupName)
	return priority(p), err == nil
}

func (w *world) cycleOf(g *group) error {
	infos, err := queued(g.pods)
	if err != nil {
		return err
	}
	p := g.pods[0]
	info := &framework.QueuedPodGroupInfo{
		PodGroupInfo:   &framework.PodGroupInfo{Namespace: p.Namespace, Name: *p.Spec.SchedulingGroup.PodGroupName},
		QueuedPodInfos: infos,
	}
	for i, one := range infos {
		at := time.Unix(int64(i), 0)
		one.InitialAttemptTimestamp = &at
		info.UnscheduledPods = append(info.UnscheduledPods, one.Pod)
	}
	scheduleOnePodGroup(w.sched, w.ctx, info)
	return nil
}

func (w *world) condition(g *group) (*ConditionOut, error) {
	p := g.pods[0]
	pg, err := w.cs.SchedulingV1alpha2().PodGroups(p.Namespace).Get(w.ctx, *p.Spec.SchedulingGroup.PodGroupName, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	return conditionOf(pg.Status.Conditions), nil
}

// inGroupCycle marks a state as one of a group cycle, like another.
func inGroupCycle(state *framework.CycleState, of fwk.CycleState) {
	state.SetPodGroupSchedulingCycle(of.GetPodGroupSchedulingCycle())
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
