//go:build !k134 && !k135

package main

import (
	"context"
	"sort"
	_ "unsafe" // the group cycle is a method that is not exported

	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	cache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

//go:linkname scheduleOnePodGroup k8s.io/kubernetes/pkg/scheduler.(*Scheduler).scheduleOnePodGroup
func scheduleOnePodGroup(s *scheduler.Scheduler, ctx context.Context, info *framework.QueuedPodGroupInfo)

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
