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
			continue
		}
		w.place(p, po, f)
		if po.Placed != "" {
			if s := f.RunPermitPlugins(w.ctx, framework.NewCycleState(), p, po.Placed); !s.IsSuccess() {
				po.Permit = st(s)
			}
		}
	}
	return nil
}
