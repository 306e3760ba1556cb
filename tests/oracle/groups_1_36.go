//go:build k136

package main

import (
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
)

// rootOf is the key of a pod's group and the priority of the pod: groups have no turn of their own yet, the first of
// their pods brings them.
func (w *world) rootOf(p *v1.Pod) (string, int32, bool) {
	name := *p.Spec.SchedulingGroup.PodGroupName
	_, err := w.inf.Scheduling().V1alpha2().PodGroups().Lister().PodGroups(p.Namespace).Get(name)
	return p.Namespace + "/" + name, priority(p), err == nil
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

// conditions reads what the scheduler wrote of the group, by its name.
func (w *world) conditions(g *group) (map[string]*ConditionOut, error) {
	p := g.pods[0]
	pg, err := w.cs.SchedulingV1alpha2().PodGroups(p.Namespace).Get(w.ctx, *p.Spec.SchedulingGroup.PodGroupName, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	if one := conditionOf(pg.Status.Conditions); one != nil {
		return map[string]*ConditionOut{pg.Name: one}, nil
	}
	return nil, nil
}

// inGroupCycle marks a state as one of a group cycle, like another.
func inGroupCycle(state *framework.CycleState, of fwk.CycleState) {
	state.SetPodGroupSchedulingCycle(of.GetPodGroupSchedulingCycle())
}

// joins: a group has the turn of the first of its pods, whatever the others are.
func (g *group) joins(*v1.Pod) {}

// ofGroup tells whether a pod has its turn with others: PreEnqueue keeps each out by itself.
func (w *world) ofGroup(p *v1.Pod) bool {
	f, ok := w.sched.Profiles[p.Spec.SchedulerName]
	if !ok {
		return false
	}
	for _, pl := range f.PreEnqueuePlugins() {
		if !pl.PreEnqueue(w.ctx, p).IsSuccess() {
			return false
		}
	}
	return true
}

// evicting tells whether victims of a group, or of one of its pods, are still to be deleted.
func (w *world) evicting(g *group) bool {
	p := g.pods[0]
	pg, err := w.inf.Scheduling().V1alpha2().PodGroups().Lister().PodGroups(p.Namespace).Get(*p.Spec.SchedulingGroup.PodGroupName)
	for _, f := range w.sched.Profiles {
		for _, pl := range private(f, "postFilterPlugins").Interface().([]fwk.PostFilterPlugin) {
			dp, ok := pl.(*defaultpreemption.DefaultPreemption)
			if !ok {
				continue
			}
			if err == nil && dp.Executor.IsPodGroupRunningPreemption(pg.UID) {
				return true
			}
			for _, p := range g.pods {
				if dp.Executor.IsPodRunningPreemption(p.UID) {
					return true
				}
			}
		}
	}
	return false
}

// sortAssignments: there are no groups of groups yet.
func (w *world) sortAssignments() {}
