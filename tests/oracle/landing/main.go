// landing tells where the real kube-scheduler's own code puts the pending pods of clusters, over all nodes at which
// its search can start: exactly, or drawn where its own order is random.
//
//	landing < cases.jsonl > answers.jsonl
//
// A case is {"name", "percent" (percentageOfNodesToScore, 0 is adaptive), "minPercentage" and "minAbsolute" (of
// candidates for preemption, with "draws"), "draws", "objects" (API objects)}. Nodes are added in the order of their
// names, and filtered one at a time. An answer has for each pending pod "starts": how many start indices there are,
// "shares": how many of them lead to each node, where nodes that share the highest total share it; of a pod that fits
// nowhere, "draws" and "evicting": how often each node was chosen to evict on.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"sort"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	corev1defaults "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/profile"
)

//go:linkname findNodes k8s.io/kubernetes/pkg/scheduler.(*Scheduler).findNodesThatFitPod
func findNodes(s *scheduler.Scheduler, ctx context.Context, f framework.Framework, state fwk.CycleState, pod *framework.QueuedPodInfo) ([]fwk.NodeInfo, framework.Diagnosis, string, error)

//go:linkname prioritize k8s.io/kubernetes/pkg/scheduler.prioritizeNodes
func prioritize(ctx context.Context, extenders []fwk.Extender, f framework.Framework, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) ([]fwk.NodePluginScores, error)

type recorder struct{}

func (r recorder) WithLogger(klog.Logger) events.EventRecorderLogger                            { return r }
func (recorder) Eventf(_ runtime.Object, _ runtime.Object, _, _, _, _ string, _ ...interface{}) {}

type oneCase struct {
	Name          string            `json:"name"`
	Percent       int32             `json:"percent"`
	MinPercentage *int64            `json:"minPercentage"`
	MinAbsolute   *int64            `json:"minAbsolute"`
	Draws         int               `json:"draws"`
	Objects       []json.RawMessage `json:"objects"`
}

type answer struct {
	Pod      string             `json:"pod"`
	Starts   int                `json:"starts,omitempty"`
	Shares   map[string]float64 `json:"shares,omitempty"`
	Draws    int                `json:"draws,omitempty"`
	Evicting map[string]int     `json:"evicting,omitempty"`
}

func private(f any, field string) reflect.Value {
	v := reflect.ValueOf(f).Elem().FieldByName(field)
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "landing:", err)
		os.Exit(1)
	}
}

func main() {
	klog.SetOutput(os.Stderr)
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	decoder := json.NewDecoder(in)
	for decoder.More() {
		var c oneCase
		check(decoder.Decode(&c))
		check(json.NewEncoder(os.Stdout).Encode(map[string]any{"name": c.Name, "pods": run(&c)}))
	}
}

func run(c *oneCase) []answer {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	logger := klog.Background()
	var nodes []*v1.Node
	var pods, pending []*v1.Pod
	var others []runtime.Object
	var budgets []*policy.PodDisruptionBudget
	dec := clientscheme.Codecs.UniversalDeserializer()
	for _, item := range c.Objects {
		o, _, err := dec.Decode(item, nil, nil)
		check(err)
		switch x := o.(type) {
		case *v1.Node:
			nodes = append(nodes, x)
		case *v1.Pod:
			corev1defaults.SetObjectDefaults_Pod(x)
			x.UID = types.UID(x.Namespace + "/" + x.Name)
			if x.Spec.NodeName == "" {
				pending = append(pending, x)
			} else {
				pods = append(pods, x)
			}
		case *policy.PodDisruptionBudget:
			budgets = append(budgets, x)
		default:
			others = append(others, o)
		}
	}
	sort.Slice(nodes, func(i, j int) bool { return nodes[i].Name < nodes[j].Name })
	client := fake.NewSimpleClientset(others...)
	informers := scheduler.NewInformerFactory(client, 0, nil)
	record := profile.RecorderFactory(func(string) events.EventRecorderLogger { return recorder{} })
	s, err := scheduler.New(ctx, client, informers, nil, record, scheduler.WithPercentageOfNodesToScore(&c.Percent), scheduler.WithParallelism(1))
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
	answers := []answer{}
	for _, pod := range pending {
		answers = append(answers, place(ctx, c, s, f, pod, len(nodes), budgets))
	}
	return answers
}

func place(ctx context.Context, c *oneCase, s *scheduler.Scheduler, f framework.Framework, pod *v1.Pod, nodes int, budgets []*policy.PodDisruptionBudget) answer {
	a := answer{Pod: pod.Namespace + "/" + pod.Name, Starts: nodes, Shares: map[string]float64{}}
	for start := 0; start < nodes; start++ {
		private(s, "nextStartNodeIndex").SetInt(int64(start))
		found, state, _ := cycle(ctx, s, f, pod)
		if len(found) == 0 {
			return evict(ctx, c, s, f, pod, budgets)
		}
		best := []string{found[0].Node().Name}
		if len(found) > 1 {
			scores, err := prioritize(ctx, s.Extenders, f, state, pod, found)
			check(err)
			best = highest(scores)
		}
		for _, name := range best {
			a.Shares[name] += 1 / float64(len(best))
		}
	}
	return a
}

func cycle(ctx context.Context, s *scheduler.Scheduler, f framework.Framework, pod *v1.Pod) ([]fwk.NodeInfo, fwk.CycleState, framework.Diagnosis) {
	info, err := framework.NewPodInfo(pod)
	check(err)
	state := framework.NewCycleState()
	found, diagnosis, _, err := findNodes(s, ctx, f, state, &framework.QueuedPodInfo{PodInfo: info})
	check(err)
	return found, state, diagnosis
}

func highest(scores []fwk.NodePluginScores) []string {
	top := scores[0].TotalScore
	for _, one := range scores {
		top = max(top, one.TotalScore)
	}
	best := []string{}
	for _, one := range scores {
		if one.TotalScore == top {
			best = append(best, one.Name)
		}
	}
	return best
}

func evict(ctx context.Context, c *oneCase, s *scheduler.Scheduler, f framework.Framework, pod *v1.Pod, budgets []*policy.PodDisruptionBudget) answer {
	a := answer{Pod: pod.Namespace + "/" + pod.Name, Draws: c.Draws, Evicting: map[string]int{}}
	var dp *defaultpreemption.DefaultPreemption
	for _, pl := range private(f, "postFilterPlugins").Interface().([]fwk.PostFilterPlugin) {
		if d, ok := pl.(*defaultpreemption.DefaultPreemption); ok {
			dp = d
		}
	}
	args := private(dp, "args")
	if c.MinPercentage != nil {
		args.FieldByName("MinCandidateNodesPercentage").SetInt(*c.MinPercentage)
	}
	if c.MinAbsolute != nil {
		args.FieldByName("MinCandidateNodesAbsolute").SetInt(*c.MinAbsolute)
	}
	for i := 0; i < c.Draws; i++ {
		_, state, diagnosis := cycle(ctx, s, f, pod)
		potential, err := diagnosis.NodeToStatus.NodesForStatusCode(f.SnapshotSharedLister().NodeInfos(), fwk.Unschedulable)
		check(err)
		if len(potential) == 0 {
			return a
		}
		offset, count := dp.GetOffsetAndNumCandidates(int32(len(potential)))
		candidates, _, err := dp.Evaluator.DryRunPreemption(ctx, state, pod, potential, budgets, offset, count)
		check(err)
		if len(candidates) > 0 {
			a.Evicting[dp.Evaluator.SelectCandidate(ctx, candidates).Name()]++
		}
	}
	return a
}
