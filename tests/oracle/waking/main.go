// waking tells what wakes pods in the real scheduling queue: a pod is refused by the scheduler's own code and put back,
// then something happens, and the queue either takes the pod up or leaves it.
//
//	waking < cases.jsonl > answers.jsonl
//
// A case is {"name", "objects" (API objects; the one pod without a node is the one that waits), "old", "new" (an object
// before and after; either may be missing)}. An answer has "refusedBy", the plugins that refused it, and "wakes".
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	storage "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/kubernetes/fake"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	corev1defaults "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/profile"
)

type recorder struct{}

func (r recorder) WithLogger(klog.Logger) events.EventRecorderLogger                            { return r }
func (recorder) Eventf(_ runtime.Object, _ runtime.Object, _, _, _, _ string, _ ...interface{}) {}

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

func private(f any, field string) reflect.Value {
	v := reflect.ValueOf(f).Elem().FieldByName(field)
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "waking:", err)
		os.Exit(1)
	}
}

func decode(raw json.RawMessage) runtime.Object {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	o, _, err := clientscheme.Codecs.UniversalDeserializer().Decode(raw, nil, nil)
	check(err)
	if pod, ok := o.(*v1.Pod); ok {
		corev1defaults.SetObjectDefaults_Pod(pod)
		pod.UID = types.UID(pod.Namespace + "/" + pod.Name)
	}
	return o
}

func main() {
	klog.SetOutput(os.Stderr)
	decoder := json.NewDecoder(bufio.NewReaderSize(os.Stdin, 1<<20))
	for decoder.More() {
		var c oneCase
		check(decoder.Decode(&c))
		check(json.NewEncoder(os.Stdout).Encode(run(&c)))
	}
}

func run(c *oneCase) answer {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	logger := klog.Background()
	var others []runtime.Object
	var nodes []*v1.Node
	var pods []*v1.Pod
	var waiting *v1.Pod
	for _, raw := range c.Objects {
		switch x := decode(raw).(type) {
		case *v1.Node:
			nodes = append(nodes, x)
		case *v1.Pod:
			if x.Spec.NodeName == "" {
				waiting = x
			} else {
				pods = append(pods, x)
			}
		default:
			others = append(others, x)
		}
	}
	client := fake.NewSimpleClientset(others...)
	informers := scheduler.NewInformerFactory(client, 0, nil)
	record := profile.RecorderFactory(func(string) events.EventRecorderLogger { return recorder{} })
	s, err := scheduler.New(ctx, client, informers, nil, record)
	check(err)
	informers.Start(ctx.Done())
	informers.WaitForCacheSync(ctx.Done())
	for _, n := range nodes {
		s.Cache.AddNode(logger, n)
	}
	for _, p := range pods {
		check(s.Cache.AddPod(logger, p))
	}
	f := s.Profiles[v1.DefaultSchedulerName]
	check(s.Cache.UpdateSnapshot(logger, private(s, "nodeInfoSnapshot").Interface().(*cache.Snapshot)))
	refused := sets.New[string]()
	s.SchedulingQueue.Add(ctx, waiting)
	if gated := s.SchedulingQueue.UnschedulablePods(); len(gated) == 0 {
		popped, err := s.SchedulingQueue.Pop(logger)
		check(err)
		popped.ForEachPodInfo(func(info *framework.QueuedPodInfo) bool {
			_, err := s.SchedulePod(ctx, f, framework.NewCycleState(), info)
			fit, ok := err.(*framework.FitError)
			if !ok {
				check(fmt.Errorf("%s: the pod is not refused: %v", c.Name, err))
			}
			refused = fit.Diagnosis.UnschedulablePlugins
			info.UnschedulablePlugins = refused
			check(s.SchedulingQueue.AddUnschedulablePodIfNotPresent(logger, info, s.SchedulingQueue.SchedulingCycle()))
			return true
		})
	}
	happen(ctx, s, waiting, decode(c.Old), decode(c.New))
	wakes := len(s.SchedulingQueue.UnschedulablePods()) == 0
	return answer{c.Name, sets.List(refused), wakes}
}

// happen tells the queue of a change as the scheduler's event handlers do.
func happen(ctx context.Context, s *scheduler.Scheduler, waiting *v1.Pod, old, new runtime.Object) {
	logger := klog.Background()
	tell := func(event fwk.ClusterEvent, before, after interface{}) {
		s.SchedulingQueue.MoveAllToActiveOrBackoffQueue(logger, event, before, after, nil)
	}
	one := new
	if one == nil {
		one = old
	}
	action := fwk.ActionType(fwk.Update)
	var before, after interface{}
	if old != nil {
		before = old
	} else {
		action = fwk.Add
	}
	if new != nil {
		after = new
	} else {
		action = fwk.Delete
	}
	switch x := one.(type) {
	case *v1.Node:
		if old == nil || new == nil {
			tell(fwk.ClusterEvent{Resource: fwk.Node, ActionType: action}, before, after)
			return
		}
		for _, event := range framework.NodeSchedulingPropertiesChange(new.(*v1.Node), old.(*v1.Node)) {
			tell(event, before, after)
		}
	case *v1.Pod:
		if x.UID == waiting.UID {
			s.SchedulingQueue.Update(ctx, old.(*v1.Pod), new.(*v1.Pod))
			return
		}
		if old == nil || new == nil {
			resource := fwk.EventResource(fwk.AssignedPod)
			if x.Spec.NodeName == "" {
				resource = fwk.UnscheduledPod
			}
			tell(fwk.ClusterEvent{Resource: resource, ActionType: action}, before, after)
			return
		}
		for _, event := range framework.PodSchedulingPropertiesChange(new.(*v1.Pod), old.(*v1.Pod), false) {
			tell(event, before, after)
		}
	default:
		tell(fwk.ClusterEvent{Resource: kind(one), ActionType: action}, before, after)
	}
}

func kind(o runtime.Object) fwk.EventResource {
	switch o.(type) {
	case *v1.PersistentVolume:
		return fwk.PersistentVolume
	case *v1.PersistentVolumeClaim:
		return fwk.PersistentVolumeClaim
	case *storage.StorageClass:
		return fwk.StorageClass
	case *storage.CSINode:
		return fwk.CSINode
	case *storage.CSIDriver:
		return fwk.CSIDriver
	case *storage.CSIStorageCapacity:
		return fwk.CSIStorageCapacity
	case *storage.VolumeAttachment:
		return fwk.VolumeAttachment
	case *resourceapi.ResourceClaim:
		return fwk.ResourceClaim
	case *resourceapi.ResourceSlice:
		return fwk.ResourceSlice
	case *resourceapi.DeviceClass:
		return fwk.DeviceClass
	}
	panic(fmt.Sprintf("no event of %T", o))
}
