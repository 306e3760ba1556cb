package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"

	resourceapi "k8s.io/api/resource/v1"
	dracel "k8s.io/dynamic-resource-allocation/cel"
)

// selector is a CEL selector and the device that it is asked about, one JSON document a line.
type selector struct {
	Expression string             `json:"expression"`
	Driver     string             `json:"driver"`
	Device     resourceapi.Device `json:"device"`
}

// selected says whether the device matches; at most one of the errors is set.
type selected struct {
	Match   bool   `json:"match"`
	Compile string `json:"compile,omitempty"` // the expression is none
	Runtime string `json:"runtime,omitempty"` // it fails on the device
}

// selectors answers what the scheduler's own CEL environment says, with -cel.
func selectors() {
	enc := json.NewEncoder(os.Stdout)
	enc.SetEscapeHTML(false)
	for dec := json.NewDecoder(bufio.NewReaderSize(os.Stdin, 1<<20)); dec.More(); {
		var s selector
		if err := dec.Decode(&s); err != nil {
			fmt.Fprintln(os.Stderr, "bad selector:", err)
			os.Exit(1)
		}
		if err := enc.Encode(s.ask()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func (s *selector) ask() selected {
	options := dracel.Options{DisableCostEstimation: true}
	compiled := dracel.GetCompiler(selectorFeatures).CompileCELExpression(s.Expression, options)
	if compiled.Error != nil {
		return selected{Compile: compiled.Error.Error()}
	}
	match, _, err := compiled.DeviceMatches(context.Background(), dracel.Device{
		Driver:                   s.Driver,
		AllowMultipleAllocations: s.Device.AllowMultipleAllocations,
		Attributes:               s.Device.Attributes,
		Capacity:                 s.Device.Capacity,
	})
	if err != nil {
		return selected{Runtime: err.Error()}
	}
	return selected{Match: match}
}
