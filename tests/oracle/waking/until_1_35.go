//go:build k134 || k135

package main

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"kporacle/inmemory"
)

func enqueue(_ context.Context, w *inmemory.World, pod *v1.Pod) {
	w.SchedulingQueue.Add(klog.Background(), pod)
}

func schedule(ctx context.Context, w *inmemory.World, info *framework.QueuedPodInfo) error {
	_, err := w.SchedulePod(ctx, w.Framework, framework.NewCycleState(), info.Pod)
	return err
}
