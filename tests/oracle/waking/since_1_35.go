//go:build !k134

package main

import (
	_ "unsafe" // for go:linkname

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/scheduler"

	"kporacle/inmemory"
)

//go:linkname addPod k8s.io/kubernetes/pkg/scheduler.(*Scheduler).addPod
func addPod(s *scheduler.Scheduler, one interface{})

//go:linkname updatePod k8s.io/kubernetes/pkg/scheduler.(*Scheduler).updatePod
func updatePod(s *scheduler.Scheduler, old, new interface{})

//go:linkname deletePod k8s.io/kubernetes/pkg/scheduler.(*Scheduler).deletePod
func deletePod(s *scheduler.Scheduler, one interface{})

func tellPod(w *inmemory.World, old, new runtime.Object) {
	dispatch(old, new,
		func() { addPod(w.Scheduler, new) },
		func() { updatePod(w.Scheduler, old, new) },
		func() { deletePod(w.Scheduler, old) })
}
