//go:build k134

package main

import "k8s.io/kubernetes/pkg/scheduler/framework"

type (
	filterPlugin     = framework.FilterPlugin
	scorePlugin      = framework.ScorePlugin
	postFilterPlugin = framework.PostFilterPlugin
	permitPlugin     = framework.PermitPlugin
)

const maxNodeScore = framework.MaxNodeScore
