package evname

/*
#include <evname/evname.h>
*/
import "C"

import "runtime"

// SampleScope finds the functions that cause events between Start and Stop. Nothing else may read the samples of its
// sampler.
type SampleScope struct {
	handle *C.evname_scope
}

// SampledFunction is a function, and its part of the samples.
type SampledFunction struct {
	Function string // as in its source; the file and the offset if it is unknown
	DSO      string // the file that has it
	Samples  uint64 // taken in the function itself, not in what it calls
	Period   uint64 // events that they stand for
}

// NewSampleScope makes a scope. It keeps the sampler and the symbols open.
func NewSampleScope(sampler *Sampler, symbols *Symbols) (*SampleScope, error) {
	if sampler.handle == nil || symbols.handle == nil {
		return nil, ErrClosed
	}
	defer runtime.KeepAlive(sampler)
	defer runtime.KeepAlive(symbols)
	scope := &SampleScope{}
	var failure C.evname_error
	if err := check(C.evname_scope_new(sampler.handle, symbols.handle, &scope.handle, &failure), &failure); err != nil {
		return nil, err
	}
	runtime.SetFinalizer(scope, (*SampleScope).Close)
	return scope, nil
}

// Close frees a scope.
func (s *SampleScope) Close() {
	defer runtime.KeepAlive(s)
	C.evname_scope_free(s.handle)
	s.handle = nil
	runtime.SetFinalizer(s, nil)
}

// Start drops the samples that were taken before, and starts the events.
func (s *SampleScope) Start() error {
	if s.handle == nil {
		return ErrClosed
	}
	defer runtime.KeepAlive(s)
	var failure C.evname_error
	return check(C.evname_scope_start(s.handle, &failure), &failure)
}

// Stop stops the events, and adds the samples since Start.
func (s *SampleScope) Stop() error {
	if s.handle == nil {
		return ErrClosed
	}
	defer runtime.KeepAlive(s)
	var failure C.evname_error
	return check(C.evname_scope_stop(s.handle, &failure), &failure)
}

// Functions returns the functions of all samples between Start and Stop, the one with most events first. The event is an
// index of Events of Sampler.Recording.
func (s *SampleScope) Functions(event int) (found []SampledFunction) {
	if s.handle == nil || event < 0 {
		return nil
	}
	defer runtime.KeepAlive(s)
	var one C.evname_sampled_function
	for C.evname_scope_function(s.handle, C.size_t(event), C.size_t(len(found)), &one) == C.EVNAME_OK {
		found = append(found, SampledFunction{C.GoString(one.function), C.GoString(one.dso), uint64(one.samples), uint64(one.period)})
	}
	return found
}
