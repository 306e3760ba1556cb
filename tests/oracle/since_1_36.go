//go:build !k134 && !k135

package main

import (
	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/tools/events"
	dracel "k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/profile"
)

var selectorFeatures = dracel.Features{EnableConsumableCapacity: true, EnableListTypeAttributes: true}

var recorders = profile.RecorderFactory(func(string) events.EventRecorderLogger { return nullRecorder{} })

func (w *world) schedule(f framework.Framework, p *v1.Pod) (scheduler.ScheduleResult, error) {
	info, err := framework.NewPodInfo(p)
	if err != nil {
		return scheduler.ScheduleResult{}, err
	}
	return w.sched.SchedulePod(w.ctx, f, framework.NewCycleState(), &framework.QueuedPodInfo{PodInfo: info})
}

// inGroup: members of a group do not preempt one by one.
func inGroup(p *v1.Pod) bool {
	return p.Spec.SchedulingGroup != nil && utilfeature.DefaultFeatureGate.Enabled(features.GenericWorkload)
}
