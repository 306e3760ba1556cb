// Package inmemory makes a kube-scheduler over an in-memory API, for the programs beside it.
package inmemory

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	corev1defaults "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

type recorder struct{}

func (r recorder) WithLogger(klog.Logger) events.EventRecorderLogger                            { return r }
func (recorder) Eventf(_ runtime.Object, _ runtime.Object, _, _, _, _ string, _ ...interface{}) {}

// Private is a field that is not exported.
func Private(f any, field string) reflect.Value {
	v := reflect.ValueOf(f).Elem().FieldByName(field)
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
}

// Check ends the program where something failed.
func Check(err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", filepath.Base(os.Args[0]), err)
		os.Exit(1)
	}
}

// Decode reads an API object as a server would hold it; nil where there is none.
func Decode(raw json.RawMessage) runtime.Object {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	o, _, err := clientscheme.Codecs.UniversalDeserializer().Decode(raw, nil, nil)
	Check(err)
	m, err := meta.Accessor(o)
	Check(err)
	if m.GetResourceVersion() == "" {
		m.SetResourceVersion("1")
	}
	if pod, ok := o.(*v1.Pod); ok {
		corev1defaults.SetObjectDefaults_Pod(pod)
		if pod.UID == "" {
			pod.UID = types.UID(pod.Namespace + "/" + pod.Name)
		}
	}
	return o
}

// Objects of a cluster.
type Objects struct {
	Nodes   []*v1.Node
	Pods    []*v1.Pod // that have a node
	Pending []*v1.Pod
	Budgets []*policy.PodDisruptionBudget
	Others  []runtime.Object
}

// Sort reads objects, each to its kind.
func Sort(raw []json.RawMessage) *Objects {
	all := &Objects{}
	for _, item := range raw {
		switch x := Decode(item).(type) {
		case *v1.Node:
			all.Nodes = append(all.Nodes, x)
		case *v1.Pod:
			if x.Spec.NodeName == "" {
				all.Pending = append(all.Pending, x)
			} else {
				all.Pods = append(all.Pods, x)
			}
		case *policy.PodDisruptionBudget:
			all.Budgets = append(all.Budgets, x)
		default:
			all.Others = append(all.Others, x)
		}
	}
	return all
}

// World is a scheduler that knows of a cluster.
type World struct {
	*scheduler.Scheduler
	Framework framework.Framework
	Client    *fake.Clientset
	snapshot  *cache.Snapshot
}

// Load makes a scheduler that knows of the nodes, of the pods that have one, and of the other objects.
func Load(ctx context.Context, all *Objects, options ...scheduler.Option) *World {
	client := fake.NewSimpleClientset(all.Others...)
	informers := newInformers(client)
	s, err := scheduler.New(ctx, client, informers, nil, recorders, options...)
	Check(err)
	informers.Start(ctx.Done())
	informers.WaitForCacheSync(ctx.Done())
	// what the handlers hear of at the start must not look like something that happens later
	Check(s.WaitForHandlersSync(ctx))
	logger := klog.Background()
	for _, n := range all.Nodes {
		s.Cache.AddNode(logger, n)
	}
	for _, p := range all.Pods {
		Check(s.Cache.AddPod(logger, p))
	}
	w := &World{s, s.Profiles[v1.DefaultSchedulerName], client, Private(s, "nodeInfoSnapshot").Interface().(*cache.Snapshot)}
	w.Snap()
	return w
}

// Snap lets the next cycle see what the cache holds.
func (w *World) Snap() { Check(w.Cache.UpdateSnapshot(klog.Background(), w.snapshot)) }
