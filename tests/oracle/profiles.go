package main

import (
	schedapi "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
)

// ProfileOut is one profile as it runs.
type ProfileOut struct {
	Plugins    map[string][]string `json:"plugins"` // by extension point, in running order
	Weights    map[string]int32    `json:"weights"` // at Score
	Args       map[string]any      `json:"args"`    // with defaults, in the words of the internal type
	Percentage *int32              `json:"percentageOfNodesToScore,omitempty"`
}

// validate checks a configuration as the kube-scheduler command does when it starts.
func validate(c *Case) error {
	if len(c.Config) == 0 {
		return nil
	}
	obj, gvk, err := scheme.Codecs.UniversalDecoder().Decode(c.Config, nil, nil)
	if err != nil {
		return err
	}
	cfg := obj.(*schedapi.KubeSchedulerConfiguration)
	cfg.TypeMeta.APIVersion = gvk.GroupVersion().String()
	if errs := validation.ValidateKubeSchedulerConfiguration(cfg); errs != nil {
		return errs
	}
	return nil
}

// profiles lists what every profile of a scheduler runs.
func (w *world) profiles(c *Case) map[string]*ProfileOut {
	given := map[string]*schedapi.KubeSchedulerProfile{}
	if obj, _, err := scheme.Codecs.UniversalDecoder().Decode(c.Config, nil, nil); err == nil {
		cfg := obj.(*schedapi.KubeSchedulerConfiguration)
		for i := range cfg.Profiles {
			given[cfg.Profiles[i].SchedulerName] = &cfg.Profiles[i]
		}
	}
	out := map[string]*ProfileOut{}
	for name, f := range w.sched.Profiles {
		p := f.ListPlugins()
		po := &ProfileOut{Plugins: map[string][]string{}, Weights: map[string]int32{}, Args: map[string]any{}}
		for point, set := range map[string]schedapi.PluginSet{
			"preEnqueue": p.PreEnqueue, "queueSort": p.QueueSort, "preFilter": p.PreFilter, "filter": p.Filter,
			"postFilter": p.PostFilter, "preScore": p.PreScore, "score": p.Score, "reserve": p.Reserve, "permit": p.Permit,
			"preBind": p.PreBind, "bind": p.Bind, "postBind": p.PostBind,
		} {
			names := []string{}
			for _, e := range set.Enabled {
				names = append(names, e.Name)
				if point == "score" {
					po.Weights[e.Name] = e.Weight
				}
			}
			po.Plugins[point] = names
		}
		if g := given[name]; g != nil {
			for _, a := range g.PluginConfig {
				po.Args[a.Name] = a.Args
			}
			po.Percentage = g.PercentageOfNodesToScore
		}
		out[name] = po
	}
	return out
}
