//go:build !k134 && !k135

package main

import (
	"context"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// group is one entity of the queue: the pending pods of a group, or (pg nil) one pod.
type group struct {
	key      string
	priority int32
	created  metav1.Time
	first    string
	pods     []*v1.Pod
	alone    bool
}

// watcher keeps what the scheduler hands out about the pods of one cycle.
type watcher struct {
	mu      sync.Mutex
	failed  map[string]*MemberOut
	deleted []string
	version atomic.Int64
}

var preempting = regexp.MustCompile(`preempting (\d+) victims`)

// bindable lets the in-memory API bind pods, as an API server does, and keeps what is deleted.
func (w *world) bindable(watch *watcher) {
	cs := w.cs.(*fake.Clientset)
	cs.PrependReactor("create", "pods", func(a clienttesting.Action) (bool, runtime.Object, error) {
		c, ok := a.(clienttesting.CreateAction)
		if !ok || a.GetSubresource() != "binding" {
			return false, nil, nil
		}
		b := c.GetObject().(*v1.Binding)
		gvr := v1.SchemeGroupVersion.WithResource("pods")
		o, err := cs.Tracker().Get(gvr, a.GetNamespace(), b.Name)
		if err != nil {
			return true, nil, err
		}
		p := o.(*v1.Pod).DeepCopy()
		p.Spec.NodeName = b.Target.Name
		return true, b, cs.Tracker().Update(gvr, p, a.GetNamespace())
	})
	cs.PrependReactor("delete", "pods", func(a clienttesting.Action) (bool, runtime.Object, error) {
		d := a.(clienttesting.DeleteAction)
		watch.mu.Lock()
		defer watch.mu.Unlock()
		watch.deleted = append(watch.deleted, d.GetNamespace()+"/"+d.GetName())
		return false, nil, nil
	})
	// a version for each write: the scheduler takes no notice of a claim whose version stays as it was
	cs.PrependReactor("update", "resourceclaims", func(a clienttesting.Action) (bool, runtime.Object, error) {
		if o, err := meta.Accessor(a.(clienttesting.UpdateAction).GetObject()); err == nil {
			o.SetResourceVersion(strconv.FormatInt(watch.version.Add(1), 10))
		}
		return false, nil, nil
	})
	handle := w.sched.FailureHandler
	w.sched.FailureHandler = func(ctx context.Context, f framework.Framework, info *framework.QueuedPodInfo, s *fwk.Status, n *fwk.NominatingInfo, start time.Time) {
		m := &MemberOut{Code: s.Code().String(), Message: s.Message()}
		if n != nil {
			m.Nominated = n.NominatedNodeName
		}
		watch.mu.Lock()
		watch.failed[info.Pod.Namespace+"/"+info.Pod.Name] = m
		watch.mu.Unlock()
		handle(ctx, f, info, s, n, start)
	}
	schedule := w.sched.SchedulePod
	w.sched.SchedulePod = func(ctx context.Context, f framework.Framework, state fwk.CycleState, info *framework.QueuedPodInfo) (scheduler.ScheduleResult, error) {
		res, err := schedule(ctx, f, state, info)
		if err == nil && res.FeasibleNodes > 1 {
			if first, ok := w.firstBest(f, state, info.Pod); ok {
				res.SuggestedHost = first
			}
		}
		return res, err
	}
}

// firstBest is the first by name of the nodes with the highest score: the scheduler draws one of them.
func (w *world) firstBest(f framework.Framework, of fwk.CycleState, p *v1.Pod) (string, bool) {
	state := framework.NewCycleState()
	inGroupCycle(state, of)
	pre, s, _ := f.RunPreFilterPlugins(w.ctx, state, p)
	if !s.IsSuccess() {
		return "", false
	}
	var feasible []fwk.NodeInfo
	for _, ni := range w.placement(f) {
		if !pre.AllNodes() && !pre.NodeNames.Has(ni.Node().Name) {
			continue
		}
		if f.RunFilterPluginsWithNominatedPods(w.ctx, state, p, ni).IsSuccess() {
			feasible = append(feasible, ni)
		}
	}
	if s := f.RunPreScorePlugins(w.ctx, state, p, feasible); !s.IsSuccess() {
		return "", false
	}
	scores, s := f.RunScorePlugins(w.ctx, state, p, feasible)
	if !s.IsSuccess() {
		return "", false
	}
	best, name := int64(-1<<62), ""
	for _, one := range scores {
		if one.TotalScore > best || one.TotalScore == best && one.Name < name {
			best, name = one.TotalScore, one.Name
		}
	}
	return name, true
}

// groups plans the whole queue with the scheduler's own group cycle, and binds what it places.
func (w *world) groups(todo []*v1.Pod, out *CaseOut) error {
	watch := &watcher{failed: map[string]*MemberOut{}}
	watch.version.Store(100)
	w.bindable(watch)
	w.sortPlacements()
	w.sortAssignments()
	for _, g := range w.entities(todo) {
		if g.alone {
			if err := w.one(g.pods[0], out); err != nil {
				return err
			}
			continue
		}
		done, err := w.asGroup(g, watch)
		if err != nil {
			return err
		}
		out.Groups = append(out.Groups, done)
		for turn, again := done, 0; turn.wakes(again == 0) && again < mostTurns; turn, again = turn.Then, again+1 {
			pods := g.pods
			g.pods = nil
			for _, p := range pods {
				now, err := w.inf.Core().V1().Pods().Lister().Pods(p.Namespace).Get(p.Name)
				if err != nil {
					return err
				}
				g.pods = append(g.pods, now)
			}
			if turn.Then, err = w.asGroup(g, watch); err != nil {
				return err
			}
		}
	}
	return nil
}

// mostTurns is how often a group is tried again right after others left for it.
const mostTurns = 3

// wakes tells whether a group has another turn: others left for it, or none had to and its pods were nominated.
func (g *GroupOut) wakes(first bool) bool {
	return len(g.Victims) > 0 || first && preempting.MatchString(g.said())
}

// said joins what the scheduler wrote of a group.
func (g *GroupOut) said() string {
	text := ""
	if g.Condition != nil {
		text = g.Condition.Message
	}
	for _, one := range g.Of {
		text += "; " + one.Message
	}
	return text
}

// entities orders what waits as the queue does: by priority, age, name.
func (w *world) entities(todo []*v1.Pod) []*group {
	byKey := map[string]*group{}
	var all []*group
	for _, p := range inOrder(todo) {
		name := p.Namespace + "/" + p.Name
		key, rank, ok := "", int32(0), false
		if p.Spec.SchedulingGroup != nil && inGroup(p) && w.ofGroup(p) {
			key, rank, ok = w.rootOf(p)
		}
		if !ok {
			all = append(all, &group{key: name, priority: priority(p), created: p.CreationTimestamp, first: name, pods: []*v1.Pod{p}, alone: true})
			continue
		}
		g := byKey[key]
		if g == nil {
			g = &group{key: key, priority: rank, created: p.CreationTimestamp, first: name}
			byKey[key] = g
			all = append(all, g)
		}
		g.pods = append(g.pods, p)
		g.joins(p)
	}
	sort.SliceStable(all, func(i, j int) bool {
		a, b := all[i], all[j]
		if a.priority != b.priority {
			return a.priority > b.priority
		}
		if !a.created.Equal(&b.created) {
			return a.created.Before(&b.created)
		}
		return a.first < b.first
	})
	return all
}

// one places a pod that is in no group, and leaves it assumed.
func (w *world) one(p *v1.Pod, out *CaseOut) error {
	po, f, _, err := w.explain(p)
	if err != nil {
		return err
	}
	out.Pods = append(out.Pods, po)
	if po.PreEnqueue != nil {
		out.Gated = append(out.Gated, po.Pod)
		return nil
	}
	if po.Error == "" && len(po.Best) > 0 {
		w.place(p, po, f)
	} else {
		w.unnominate(p, po)
	}
	return nil
}

// asGroup runs one cycle of a group, and waits until its pods are bound or its victims are gone.
func (w *world) asGroup(g *group, watch *watcher) (*GroupOut, error) {
	out := &GroupOut{Group: g.key}
	gated := map[string]*StatusOut{}
	for _, p := range g.pods {
		f, ok := w.sched.Profiles[p.Spec.SchedulerName]
		if !ok {
			continue
		}
		for _, pl := range f.PreEnqueuePlugins() {
			if s := pl.PreEnqueue(w.ctx, p); !s.IsSuccess() {
				gated[p.Namespace+"/"+p.Name] = st(s.WithPlugin(pl.Name()))
				break
			}
		}
	}
	if len(gated) > 0 {
		out.Gated = gated
		return out, nil
	}
	watch.mu.Lock()
	watch.failed = map[string]*MemberOut{}
	before := len(watch.deleted)
	watch.mu.Unlock()
	if err := w.cycleOf(g); err != nil {
		return nil, err
	}
	conditions, err := w.conditions(g)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(g.key, "compositepodgroup/") {
		out.Of = conditions
	} else {
		for _, one := range conditions {
			out.Condition = one
		}
	}
	want := 0
	if found := preempting.FindStringSubmatch(out.said()); found != nil {
		want, _ = strconv.Atoi(found[1])
	}
	w.await(g, watch, before, want)
	watch.mu.Lock()
	defer watch.mu.Unlock()
	out.Victims = slices.Clone(watch.deleted[before:])
	sort.Strings(out.Victims)
	for _, p := range g.pods {
		name := p.Namespace + "/" + p.Name
		m := watch.failed[name]
		if m == nil {
			m = &MemberOut{Code: fwk.Success.String()}
			now, err := w.inf.Core().V1().Pods().Lister().Pods(p.Namespace).Get(p.Name)
			if err != nil {
				return nil, err
			}
			m.Placed = now.Spec.NodeName
			if p.DeletionTimestamp != nil {
				m.Code = fwk.Skip.String()
			}
		}
		m.Pod = name
		out.Members = append(out.Members, m)
	}
	sort.Slice(out.Members, func(i, j int) bool { return out.Members[i].Pod < out.Members[j].Pod })
	return out, nil
}

// await lets bindings end and victims go.
func (w *world) await(g *group, watch *watcher, before, victims int) {
	lister := w.inf.Core().V1().Pods().Lister()
	ready := func() bool {
		watch.mu.Lock()
		defer watch.mu.Unlock()
		if len(watch.deleted)-before < victims || w.evicting(g) {
			return false
		}
		for _, p := range g.pods {
			if watch.failed[p.Namespace+"/"+p.Name] != nil || p.DeletionTimestamp != nil {
				continue
			}
			now, err := lister.Pods(p.Namespace).Get(p.Name)
			if err != nil || now.Spec.NodeName == "" {
				return false
			}
			if assumed, err := w.sched.Cache.IsAssumedPod(now); err != nil || assumed {
				return false
			}
		}
		return w.steady()
	}
	for i := 0; i < 400 && !ready(); i++ {
		time.Sleep(5 * time.Millisecond)
	}
	time.Sleep(*settleTime)
}

// steady tells whether the cache holds exactly the bound pods of the API.
func (w *world) steady() bool {
	pods, err := w.inf.Core().V1().Pods().Lister().List(labels.Everything())
	if err != nil {
		return false
	}
	bound := map[types.UID]bool{}
	for _, p := range pods {
		if p.Spec.NodeName != "" {
			bound[p.UID] = true
		}
	}
	dump := w.sched.Cache.Dump()
	have := 0
	for _, ni := range dump.Nodes {
		for _, p := range ni.GetPods() {
			if bound[p.GetPod().UID] {
				have++
			} else if !dump.AssumedPods.Has(string(p.GetPod().UID)) {
				return false
			}
		}
	}
	return have == len(bound)
}

// inOrder sorts pods by priority, age and name.
func inOrder(pods []*v1.Pod) []*v1.Pod {
	sorted := slices.Clone(pods)
	sort.SliceStable(sorted, func(i, j int) bool {
		a, b := sorted[i], sorted[j]
		if priority(a) != priority(b) {
			return priority(a) > priority(b)
		}
		if !a.CreationTimestamp.Equal(&b.CreationTimestamp) {
			return a.CreationTimestamp.Before(&b.CreationTimestamp)
		}
		return a.Name < b.Name
	})
	return sorted
}

// queued makes the queue's records of pods, all of one instant: then their names decide.
func queued(pods []*v1.Pod) ([]*framework.QueuedPodInfo, error) {
	infos := make([]*framework.QueuedPodInfo, 0, len(pods))
	for _, p := range inOrder(pods) {
		info, err := framework.NewPodInfo(p)
		if err != nil {
			return nil, err
		}
		infos = append(infos, &framework.QueuedPodInfo{PodInfo: info})
	}
	return infos, nil
}

// conditionOf reads the one condition that the scheduler writes of a group.
func conditionOf(conditions []metav1.Condition) *ConditionOut {
	if len(conditions) == 0 {
		return nil
	}
	c := conditions[len(conditions)-1]
	return &ConditionOut{Status: string(c.Status), Reason: c.Reason, Message: c.Message}
}
