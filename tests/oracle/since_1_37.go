//go:build !k134 && !k135 && !k136

package main

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler"
)

func newInformers(cs clientset.Interface) informers.SharedInformerFactory {
	return scheduler.NewInformerFactory(cs, 0, nil)
}

func (w *world) unqueue(p *v1.Pod) { w.sched.SchedulingQueue.Delete(klog.Background(), p) }

// foundPlacement is what a preemption adds to the event.
func foundPlacement(node string, victims int) string {
	return fmt.Sprintf("found a potential placement for pod on node %v, preempting %d victims", node, victims)
}
