package main

import (
	_ "unsafe" // for go:linkname

	"k8s.io/kubernetes/pkg/scheduler"
)

//go:linkname addNode k8s.io/kubernetes/pkg/scheduler.(*Scheduler).addNodeToCache
func addNode(s *scheduler.Scheduler, one interface{})

//go:linkname updateNode k8s.io/kubernetes/pkg/scheduler.(*Scheduler).updateNodeInCache
func updateNode(s *scheduler.Scheduler, old, new interface{})

//go:linkname deleteNode k8s.io/kubernetes/pkg/scheduler.(*Scheduler).deleteNodeFromCache
func deleteNode(s *scheduler.Scheduler, one interface{})
