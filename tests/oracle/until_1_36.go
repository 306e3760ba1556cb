//go:build k134 || k135 || k136

package main

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/pkg/scheduler"
)

func newInformers(cs clientset.Interface) informers.SharedInformerFactory {
	return scheduler.NewInformerFactory(cs, 0)
}

func (w *world) unqueue(p *v1.Pod) { w.sched.SchedulingQueue.Delete(p) }

// foundPlacement is what a preemption adds to the event: nothing yet.
func foundPlacement(string, int) string { return "" }
