// waking tells what wakes pods in the real scheduling queue: a pod is refused by the scheduler's own code and put back,
// then something happens, and the queue either takes the pod up or leaves it.
//
//	waking < cases.jsonl > answers.jsonl
//
// A case is {"name", "objects" (API objects; the one pod "default/waits" without a node is the one that waits, others
// without a node wait unseen), "old", "new" (an object before and after; either may be missing)}. An answer has
// "refusedBy", the plugins that refused it, and "wakes". Of nodes and pods the scheduler's own event handlers are told.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"kporacle/inmemory"
)

type oneCase struct {
	Name    string            `json:"name"`
	Objects []json.RawMessage `json:"objects"`
	Old     json.RawMessage   `json:"old"`
	New     json.RawMessage   `json:"new"`
}

type answer struct {
	Name      string   `json:"name"`
	RefusedBy []string `json:"refusedBy"`
	Wakes     bool     `json:"wakes"`
}

func main() {
	klog.SetOutput(os.Stderr)
	decoder := json.NewDecoder(bufio.NewReaderSize(os.Stdin, 1<<20))
	for decoder.More() {
		var c oneCase
		inmemory.Check(decoder.Decode(&c))
		inmemory.Check(json.NewEncoder(os.Stdout).Encode(run(&c)))
	}
}

func run(c *oneCase) answer {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	all := inmemory.Sort(c.Objects)
	w := inmemory.Load(ctx, all)
	var waiting *v1.Pod
	for _, pod := range all.Pending {
		if pod.Name == "waits" {
			waiting = pod
		} else {
			w.SchedulingQueue.AddNominatedPod(klog.Background(), must(framework.NewPodInfo(pod)), nil)
		}
	}
	refused := sets.New[string]()
	enqueue(ctx, w, waiting)
	if gated := w.SchedulingQueue.UnschedulablePods(); len(gated) == 0 {
		putBack(w, func(info *framework.QueuedPodInfo) {
			err := schedule(ctx, w, info)
			fit, ok := err.(*framework.FitError)
			if !ok {
				inmemory.Check(fmt.Errorf("%s: the pod is not refused: %v", c.Name, err))
			}
			refused = fit.Diagnosis.UnschedulablePlugins
			info.UnschedulablePlugins = refused
		})
	}
	happen(w, inmemory.Decode(c.Old), inmemory.Decode(c.New))
	wakes := true
	for _, pod := range w.SchedulingQueue.UnschedulablePods() {
		wakes = wakes && pod.Name != waiting.Name
	}
	return answer{c.Name, sets.List(refused), wakes}
}

func must[T any](made T, err error) T {
	inmemory.Check(err)
	return made
}

// before makes the cache hold a pod as it was before the change: the case may have refused with another of that name.
func before(w *inmemory.World, old, new runtime.Object) {
	one := new
	if one == nil {
		one = old
	}
	pod, ok := one.(*v1.Pod)
	if !ok {
		return
	}
	if there, err := w.Cache.GetPod(pod); err == nil {
		inmemory.Check(w.Cache.RemovePod(klog.Background(), there))
	}
	if was, ok := old.(*v1.Pod); ok && was.Spec.NodeName != "" {
		inmemory.Check(w.Cache.AddPod(klog.Background(), was))
	}
}

// happen tells the queue of a change as the scheduler's event handlers do.
func happen(w *inmemory.World, old, new runtime.Object) {
	before(w, old, new)
	if new != nil {
		must(meta.Accessor(new)).SetResourceVersion("2")
	}
	one := new
	if one == nil {
		one = old
	}
	switch one.(type) {
	case *v1.Node:
		dispatch(old, new,
			func() { addNode(w.Scheduler, new) },
			func() { updateNode(w.Scheduler, old, new) },
			func() { deleteNode(w.Scheduler, old) })
	case *v1.Pod:
		tellPod(w, old, new)
	case *resourceapi.ResourceClaim:
		store(w, old, new)
		tell(w, one, old, new)
	default:
		tell(w, one, old, new)
	}
}

func dispatch(old, new runtime.Object, add, update, remove func()) {
	switch {
	case old == nil:
		add()
	case new == nil:
		remove()
	default:
		update()
	}
}

// tell moves pods for any object that has no handler of its own.
func tell(w *inmemory.World, one, old, new runtime.Object) {
	event := fwk.ClusterEvent{Resource: kind(one), ActionType: fwk.Update}
	var before, after interface{}
	dispatch(old, new,
		func() { event.ActionType, after = fwk.Add, new },
		func() { before, after = old, new },
		func() { event.ActionType, before = fwk.Delete, old })
	w.SchedulingQueue.MoveAllToActiveOrBackoffQueue(klog.Background(), event, before, after, nil)
}

// store makes the API hold a claim as it is after the change, and waits until the scheduler has heard of it: plugins look.
func store(w *inmemory.World, old, new runtime.Object) {
	gvr := resourceapi.SchemeGroupVersion.WithResource("resourceclaims")
	one := new
	if one == nil {
		one = old
	}
	m := must(meta.Accessor(one))
	known := func() metav1.Object {
		claim, err := w.Framework.SharedDRAManager().ResourceClaims().Get(m.GetNamespace(), m.GetName())
		if err != nil {
			return nil
		}
		return claim
	}
	dispatch(old, new,
		func() { inmemory.Check(w.Client.Tracker().Create(gvr, new, m.GetNamespace())) },
		func() {
			if known() != nil {
				inmemory.Check(w.Client.Tracker().Update(gvr, new, m.GetNamespace()))
			}
		},
		func() { _ = w.Client.Tracker().Delete(gvr, m.GetNamespace(), m.GetName()) })
	for until := time.Now().Add(5 * time.Second); time.Now().Before(until); time.Sleep(time.Millisecond) {
		now := known()
		if (now == nil) == (new == nil) && (now == nil || now.GetResourceVersion() == "2") {
			return
		}
	}
	inmemory.Check(fmt.Errorf("%s/%s: the scheduler has not heard of the claim", m.GetNamespace(), m.GetName()))
}

// kinds are the resources of events, by the names of kinds.
var kinds = map[string]fwk.EventResource{
	"PersistentVolume":      fwk.PersistentVolume,
	"PersistentVolumeClaim": fwk.PersistentVolumeClaim,
	"StorageClass":          fwk.StorageClass,
	"CSINode":               fwk.CSINode,
	"CSIDriver":             fwk.CSIDriver,
	"CSIStorageCapacity":    fwk.CSIStorageCapacity,
	"VolumeAttachment":      fwk.VolumeAttachment,
	"ResourceClaim":         fwk.ResourceClaim,
	"ResourceSlice":         fwk.ResourceSlice,
	"DeviceClass":           fwk.DeviceClass,
}

func kind(o runtime.Object) fwk.EventResource {
	name := o.GetObjectKind().GroupVersionKind().Kind
	resource, ok := kinds[name]
	if !ok {
		inmemory.Check(fmt.Errorf("no event of %s", name))
	}
	return resource
}
