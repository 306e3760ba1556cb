//go:build k134 || k135 || k136

package main

import (
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"kporacle/inmemory"
)

// putBack takes the pod of the queue, has it tried, and puts it back as refused.
func putBack(w *inmemory.World, try func(*framework.QueuedPodInfo)) {
	info, err := w.SchedulingQueue.Pop(klog.Background())
	inmemory.Check(err)
	try(info)
	inmemory.Check(w.SchedulingQueue.AddUnschedulableIfNotPresent(klog.Background(), info, w.SchedulingQueue.SchedulingCycle()))
}
