//go:build !k134 && !k135 && !k136

package main

import (
	"context"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// hierarchy builds the group a pod is of with all that is placed with it, from the top, as the queue does.
func (w *world) hierarchy(p *v1.Pod) (*framework.PodGroupInfo, error) {
	pg, err := w.inf.Scheduling().V1beta1().PodGroups().Lister().PodGroups(p.Namespace).Get(*p.Spec.SchedulingGroup.PodGroupName)
	if err != nil {
		return nil, err
	}
	parent := pg.Spec.ParentCompositePodGroupName
	if parent == nil || !utilfeature.DefaultFeatureGate.Enabled(features.CompositePodGroup) {
		return &framework.PodGroupInfo{Namespace: pg.Namespace, Name: pg.Name, Type: fwk.PodGroupKeyType, PodGroup: pg}, nil
	}
	name := ""
	for depth := 0; parent != nil; depth++ {
		cpg, err := w.inf.Scheduling().V1alpha3().CompositePodGroups().Lister().CompositePodGroups(p.Namespace).Get(*parent)
		if err != nil {
			return nil, err
		}
		if depth > 8 {
			return nil, fmt.Errorf("groups in a circle at %s", cpg.Name)
		}
		name, parent = cpg.Name, cpg.Spec.ParentCompositePodGroupName
	}
	return w.subtree(p.Namespace, name)
}

func (w *world) subtree(namespace, name string) (*framework.PodGroupInfo, error) {
	cpg, err := w.inf.Scheduling().V1alpha3().CompositePodGroups().Lister().CompositePodGroups(namespace).Get(name)
	if err != nil {
		return nil, err
	}
	info := &framework.PodGroupInfo{Namespace: namespace, Name: name, Type: fwk.CompositePodGroupKeyType, CompositePodGroup: cpg}
	all, err := w.inf.Scheduling().V1alpha3().CompositePodGroups().Lister().CompositePodGroups(namespace).List(labels.Everything())
	if err != nil {
		return nil, err
	}
	for _, one := range all {
		if parent := one.Spec.ParentCompositePodGroupName; parent != nil && *parent == name {
			child, err := w.subtree(namespace, one.Name)
			if err != nil {
				return nil, err
			}
			info.Children = append(info.Children, child)
		}
	}
	groups, err := w.inf.Scheduling().V1beta1().PodGroups().Lister().PodGroups(namespace).List(labels.Everything())
	if err != nil {
		return nil, err
	}
	for _, one := range groups {
		if parent := one.Spec.ParentCompositePodGroupName; parent != nil && *parent == name {
			info.Children = append(info.Children, &framework.PodGroupInfo{Namespace: namespace, Name: one.Name, Type: fwk.PodGroupKeyType, PodGroup: one})
		}
	}
	info.Children = info.GetChildGroups() // in the order in which they are tried
	return info, nil
}

// leavesOf lists the groups with pods of their own, in the order in which they are tried.
func leavesOf(info *framework.PodGroupInfo) []*framework.PodGroupInfo {
	if info.CompositePodGroup == nil {
		return []*framework.PodGroupInfo{info}
	}
	var leaves []*framework.PodGroupInfo
	for _, child := range info.GetChildGroups() {
		leaves = append(leaves, leavesOf(child)...)
	}
	return leaves
}

type inTurn struct{ fwk.PodGroupPostFilterPlugin }

func (s inTurn) PodGroupPostFilter(ctx context.Context, state fwk.PodGroupCycleState, pg fwk.PodGroupInfo, try fwk.PodGroupSchedulingFunc) (*fwk.PodGroupPostFilterResult, *fwk.Status) {
	place := map[string]int{}
	if info, ok := pg.(*framework.PodGroupInfo); ok {
		for i, leaf := range leavesOf(info) {
			place[leaf.Name] = i
		}
	}
	return s.PodGroupPostFilterPlugin.PodGroupPostFilter(ctx, state, pg, func(ctx context.Context) (*fwk.PodGroupAssignments, *fwk.Status) {
		found, status := try(ctx)
		if found != nil {
			slices.SortStableFunc(found.ProposedAssignments, func(a, b fwk.ProposedAssignment) int {
				return place[*a.GetPod().Spec.SchedulingGroup.PodGroupName] - place[*b.GetPod().Spec.SchedulingGroup.PodGroupName]
			})
		}
		return found, status
	})
}

// sortAssignments has preemption meet the groups of a group in the order in which they were tried, which is that of a map.
func (w *world) sortAssignments() {
	for _, f := range w.sched.Profiles {
		plugins := private(f, "podGroupPostFilterPlugins").Interface().([]fwk.PodGroupPostFilterPlugin)
		for i := range plugins {
			plugins[i] = inTurn{plugins[i]}
		}
	}
}
