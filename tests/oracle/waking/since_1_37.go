//go:build !k134 && !k135 && !k136

package main

import (
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"kporacle/inmemory"
)

// putBack takes the pod of the queue, has it tried, and puts it back as refused.
func putBack(w *inmemory.World, try func(*framework.QueuedPodInfo)) {
	popped, err := w.SchedulingQueue.Pop(klog.Background())
	inmemory.Check(err)
	popped.ForEachPodInfo(func(info *framework.QueuedPodInfo) bool {
		try(info)
		inmemory.Check(w.SchedulingQueue.AddUnschedulablePodIfNotPresent(klog.Background(), info, w.SchedulingQueue.SchedulingCycle()))
		return true
	})
}
