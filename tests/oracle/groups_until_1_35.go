//go:build k134 || k135

package main

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// groups places pods one by one, members of gangs too: there is no cycle of a group yet. What Permit says is kept.
func (w *world) groups(todo []*v1.Pod, out *CaseOut) error {
	for _, p := range todo {
		po, f, _, err := w.explain(p)
		if err != nil {
			return err
		}
		out.Pods = append(out.Pods, po)
		if po.PreEnqueue != nil {
			out.Gated = append(out.Gated, po.Pod)
			continue
		}
		if po.Error != "" || len(po.Best) == 0 {
			w.unnominate(p, po)
			continue
		}
		w.place(p, po, f)
		if po.Placed != "" {
			for _, pl := range private(f, "permitPlugins").Interface().([]permitPlugin) {
				if s, _ := pl.Permit(w.ctx, framework.NewCycleState(), p, po.Placed); !s.IsSuccess() {
					po.Permit = st(s.WithPlugin(pl.Name()))
					break
				}
			}
		}
	}
	return nil
}
