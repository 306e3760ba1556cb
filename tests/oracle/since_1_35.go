//go:build !k134

package main

import fwk "k8s.io/kube-scheduler/framework"

type (
	filterPlugin     = fwk.FilterPlugin
	scorePlugin      = fwk.ScorePlugin
	postFilterPlugin = fwk.PostFilterPlugin
	permitPlugin     = fwk.PermitPlugin
)

const maxNodeScore = fwk.MaxNodeScore
