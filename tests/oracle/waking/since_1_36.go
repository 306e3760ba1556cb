//go:build !k134 && !k135

package main

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"kporacle/inmemory"
)

func enqueue(ctx context.Context, w *inmemory.World, pod *v1.Pod) { w.SchedulingQueue.Add(ctx, pod) }

func schedule(ctx context.Context, w *inmemory.World, info *framework.QueuedPodInfo) error {
	_, err := w.SchedulePod(ctx, w.Framework, framework.NewCycleState(), info)
	return err
}
