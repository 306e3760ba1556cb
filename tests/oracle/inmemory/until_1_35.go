//go:build k134 || k135

package inmemory

import (
	"k8s.io/client-go/tools/events"
	"k8s.io/kubernetes/pkg/scheduler/profile"
)

var recorders = profile.RecorderFactory(func(string) events.EventRecorder { return recorder{} })
