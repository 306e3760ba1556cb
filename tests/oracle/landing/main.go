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
	"os"
	"sort"
	_ "unsafe" // for go:linkname

	v1 "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"

	"kporacle/inmemory"
)

//go:linkname findNodes k8s.io/kubernetes/pkg/scheduler.(*Scheduler).findNodesThatFitPod
func findNodes(s *scheduler.Scheduler, ctx context.Context, f framework.Framework, state fwk.CycleState, pod *framework.QueuedPodInfo) ([]fwk.NodeInfo, framework.Diagnosis, string, error)

//go:linkname prioritize k8s.io/kubernetes/pkg/scheduler.prioritizeNodes
func prioritize(ctx context.Context, extenders []fwk.Extender, f framework.Framework, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) ([]fwk.NodePluginScores, error)

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

func main() {
	klog.SetOutput(os.Stderr)
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	decoder := json.NewDecoder(in)
	for decoder.More() {
		var c oneCase
		inmemory.Check(decoder.Decode(&c))
		inmemory.Check(json.NewEncoder(os.Stdout).Encode(map[string]any{"name": c.Name, "pods": run(&c)}))
	}
}

func run(c *oneCase) []answer {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	all := inmemory.Sort(c.Objects)
	sort.Slice(all.Nodes, func(i, j int) bool { return all.Nodes[i].Name < all.Nodes[j].Name })
	w := inmemory.Load(ctx, all, scheduler.WithPercentageOfNodesToScore(&c.Percent), scheduler.WithParallelism(1))
	answers := []answer{}
	for _, pod := range all.Pending {
		answers = append(answers, place(ctx, c, w, pod, len(all.Nodes), all.Budgets))
	}
	return answers
}

func place(ctx context.Context, c *oneCase, w *inmemory.World, pod *v1.Pod, nodes int, budgets []*policy.PodDisruptionBudget) answer {
	a := answer{Pod: pod.Namespace + "/" + pod.Name, Starts: nodes, Shares: map[string]float64{}}
	for start := 0; start < nodes; start++ {
		inmemory.Private(w.Scheduler, "nextStartNodeIndex").SetInt(int64(start))
		found, state, _ := cycle(ctx, w, pod)
		if len(found) == 0 {
			return evict(ctx, c, w, pod, budgets)
		}
		best := []string{found[0].Node().Name}
		if len(found) > 1 {
			scores, err := prioritize(ctx, w.Extenders, w.Framework, state, pod, found)
			inmemory.Check(err)
			best = highest(scores)
		}
		for _, name := range best {
			a.Shares[name] += 1 / float64(len(best))
		}
	}
	return a
}

func cycle(ctx context.Context, w *inmemory.World, pod *v1.Pod) ([]fwk.NodeInfo, fwk.CycleState, framework.Diagnosis) {
	info, err := framework.NewPodInfo(pod)
	inmemory.Check(err)
	state := framework.NewCycleState()
	found, diagnosis, _, err := findNodes(w.Scheduler, ctx, w.Framework, state, &framework.QueuedPodInfo{PodInfo: info})
	inmemory.Check(err)
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

func evict(ctx context.Context, c *oneCase, w *inmemory.World, pod *v1.Pod, budgets []*policy.PodDisruptionBudget) answer {
	a := answer{Pod: pod.Namespace + "/" + pod.Name, Draws: c.Draws, Evicting: map[string]int{}}
	var dp *defaultpreemption.DefaultPreemption
	for _, pl := range inmemory.Private(w.Framework, "postFilterPlugins").Interface().([]fwk.PostFilterPlugin) {
		if d, ok := pl.(*defaultpreemption.DefaultPreemption); ok {
			dp = d
		}
	}
	args := inmemory.Private(dp, "args")
	if c.MinPercentage != nil {
		args.FieldByName("MinCandidateNodesPercentage").SetInt(*c.MinPercentage)
	}
	if c.MinAbsolute != nil {
		args.FieldByName("MinCandidateNodesAbsolute").SetInt(*c.MinAbsolute)
	}
	for i := 0; i < c.Draws; i++ {
		_, state, diagnosis := cycle(ctx, w, pod)
		potential, err := diagnosis.NodeToStatus.NodesForStatusCode(w.Framework.SnapshotSharedLister().NodeInfos(), fwk.Unschedulable)
		inmemory.Check(err)
		if len(potential) == 0 {
			return a
		}
		offset, count := dp.GetOffsetAndNumCandidates(int32(len(potential)))
		candidates, _, err := dp.Evaluator.DryRunPreemption(ctx, state, pod, potential, budgets, offset, count)
		inmemory.Check(err)
		if len(candidates) > 0 {
			a.Evicting[dp.Evaluator.SelectCandidate(ctx, candidates).Name()]++
		}
	}
	return a
}
