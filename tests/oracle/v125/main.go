// Kpconvert reads KubeSchedulerConfigurations of v1beta2, v1beta3 or v1 (one JSON document a line) and prints what the
// real kube-scheduler 1.25, the last release that read all three, makes of each: for every profile the plugins by
// extension point in running order, the weights at Score, and the arguments.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
	"k8s.io/kubernetes/pkg/scheduler/profile"
)

type profileOut struct {
	Plugins map[string][]string        `json:"plugins"`
	Weights map[string]int32           `json:"weights"`
	Args    map[string]json.RawMessage `json:"args"`
}

type out struct {
	Error    string                 `json:"error,omitempty"`
	Profiles map[string]*profileOut `json:"profiles,omitempty"`
}

func names(s config.PluginSet) []string {
	n := []string{}
	for _, p := range s.Enabled {
		n = append(n, p.Name)
	}
	return n
}

func list(data []byte) (*out, error) {
	obj, gvk, err := scheme.Codecs.UniversalDecoder().Decode(data, nil, nil)
	if err != nil {
		return nil, err
	}
	cfg := obj.(*config.KubeSchedulerConfiguration)
	cfg.TypeMeta.APIVersion = gvk.GroupVersion().String() // as the command does
	if err := validation.ValidateKubeSchedulerConfiguration(cfg); err != nil {
		return nil, err
	}
	cs := fake.NewSimpleClientset()
	inf := informers.NewSharedInformerFactory(cs, 0)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	recorders := profile.RecorderFactory(func(string) events.EventRecorder { return &events.FakeRecorder{} })
	s, err := scheduler.New(cs, inf, nil, recorders, ctx.Done(), scheduler.WithProfiles(cfg.Profiles...), scheduler.WithComponentConfigVersion(cfg.TypeMeta.APIVersion))
	if err != nil {
		return nil, err
	}
	o := &out{Profiles: map[string]*profileOut{}}
	for i := range cfg.Profiles {
		name := cfg.Profiles[i].SchedulerName
		p := s.Profiles[name].ListPlugins()
		po := &profileOut{Weights: map[string]int32{}, Args: map[string]json.RawMessage{}, Plugins: map[string][]string{
			"queueSort": names(p.QueueSort), "preFilter": names(p.PreFilter), "filter": names(p.Filter), "postFilter": names(p.PostFilter),
			"preScore": names(p.PreScore), "score": names(p.Score), "reserve": names(p.Reserve), "permit": names(p.Permit),
			"preBind": names(p.PreBind), "bind": names(p.Bind), "postBind": names(p.PostBind),
		}}
		for _, e := range p.Score.Enabled {
			po.Weights[e.Name] = e.Weight
		}
		for _, a := range cfg.Profiles[i].PluginConfig {
			if raw, err := json.Marshal(a.Args); err == nil {
				po.Args[a.Name] = raw
			}
		}
		o.Profiles[name] = po
	}
	return o, nil
}

func main() {
	klog.SetOutput(io.Discard)
	klog.LogToStderr(false)
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<24)
	enc := json.NewEncoder(os.Stdout)
	for in.Scan() {
		o, err := list(in.Bytes())
		if err != nil {
			o = &out{Error: err.Error()}
		}
		_ = enc.Encode(o)
	}
}
