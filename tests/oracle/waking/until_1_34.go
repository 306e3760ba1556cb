//go:build k134

package main

import (
	_ "unsafe" // for go:linkname

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/scheduler"

	"kporacle/inmemory"
)

//go:linkname addPlaced k8s.io/kubernetes/pkg/scheduler.(*Scheduler).addPodToCache
func addPlaced(s *scheduler.Scheduler, one interface{})

//go:linkname updatePlaced k8s.io/kubernetes/pkg/scheduler.(*Scheduler).updatePodInCache
func updatePlaced(s *scheduler.Scheduler, old, new interface{})

//go:linkname deletePlaced k8s.io/kubernetes/pkg/scheduler.(*Scheduler).deletePodFromCache
func deletePlaced(s *scheduler.Scheduler, one interface{})

//go:linkname addQueued k8s.io/kubernetes/pkg/scheduler.(*Scheduler).addPodToSchedulingQueue
func addQueued(s *scheduler.Scheduler, one interface{})

//go:linkname updateQueued k8s.io/kubernetes/pkg/scheduler.(*Scheduler).updatePodInSchedulingQueue
func updateQueued(s *scheduler.Scheduler, old, new interface{})

//go:linkname deleteQueued k8s.io/kubernetes/pkg/scheduler.(*Scheduler).deletePodFromSchedulingQueue
func deleteQueued(s *scheduler.Scheduler, one interface{})

// tellPod calls the handler of pods that have a node, and that of those which have none: informers filter between them.
func tellPod(w *inmemory.World, old, new runtime.Object) {
	add, update, remove := addQueued, updateQueued, deleteQueued
	if placed(old) || placed(new) {
		add, update, remove = addPlaced, updatePlaced, deletePlaced
	}
	if old != nil && new != nil && !placed(old) && placed(new) {
		deleteQueued(w.Scheduler, old)
		old = nil
	}
	dispatch(old, new,
		func() { add(w.Scheduler, new) },
		func() { update(w.Scheduler, old, new) },
		func() { remove(w.Scheduler, old) })
}

func placed(o runtime.Object) bool {
	pod, ok := o.(*v1.Pod)
	return ok && pod.Spec.NodeName != ""
}
