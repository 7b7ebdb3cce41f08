// Package plugin connects a filter to Tamis. The file exports.go is generated, as the other packages of bindings are,
// except wit.
package plugin

import (
	"fmt"
	"runtime"
	"strings"

	"keep-lines/bindings/filter"
	"keep-lines/bindings/panic"
	"keep-lines/bindings/types"
	"keep-lines/bindings/wit"
)

// Filter is a filter. A plugin has one.
type Filter interface {
	// Describe describes the plugin. It must not depend on anything.
	Describe() types.Description
	// Configure takes the settings, a JSON object. The operator sees the error.
	Configure(settings string) (filter.Configured, error)
	// Apply filters the document of the package document. The operator sees the error.
	Apply() (types.Verdict, error)
}

var registered Filter

// Register names the plugin's filter. Call it in a function init.
func Register(filter Filter) { registered = filter }

func describe() types.Description { return registered.Describe() }

func configure(settings string) wit.Result[filter.Configured, string] {
	return orSay(func() (filter.Configured, error) { return registered.Configure(settings) })
}

func apply() wit.Result[types.Verdict, string] { return orSay(registered.Apply) }

// orSay reports the message and position of a panic: the call then counts as crashed. An error is a refusal, with a
// message for the operator.
func orSay[Answer any](call func() (Answer, error)) (result wit.Result[Answer, string]) {
	defer func() {
		if cause := recover(); cause != nil {
			words := fmt.Sprintf("panic: %v%s", cause, place())
			panic.Say(words)
			result = wit.Err[Answer](words)
		}
	}()
	answer, err := call()
	if err != nil {
		return wit.Err[Answer](err.Error())
	}
	return wit.Ok[Answer, string](answer)
}

// place is the function and line that panicked: the first below the runtime's own.
func place() string {
	var counters [64]uintptr
	frames := runtime.CallersFrames(counters[:runtime.Callers(3, counters[:])])
	for {
		frame, more := frames.Next()
		if frame.Function != "" && !strings.HasPrefix(frame.Function, "runtime.") {
			return fmt.Sprintf(", in %s, line %d of %s", frame.Function, frame.Line, frame.File)
		}
		if !more {
			return ""
		}
	}
}
