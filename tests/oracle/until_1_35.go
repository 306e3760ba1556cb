//go:build k134 || k135

package main

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/events"
	dracel "k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/profile"
)

var selectorFeatures = dracel.Features{EnableConsumableCapacity: true}

var recorders = profile.RecorderFactory(func(string) events.EventRecorder { return nullRecorder{} })

func (w *world) schedule(f framework.Framework, p *v1.Pod) (scheduler.ScheduleResult, error) {
	return w.sched.SchedulePod(w.ctx, f, framework.NewCycleState(), p)
}

// inGroup: there are no groups of pods yet that preempt together.
func inGroup(*v1.Pod) bool { return false }
