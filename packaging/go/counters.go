package evname

/*
#include <evname/evname.h>
*/
import "C"

import "runtime"

// Grouping is the way to put events into groups, which are counted together.
type Grouping uint32

const (
	Regrouped Grouping = C.EVNAME_COUNT_REGROUPED  // as perf opens them
	AsWritten Grouping = C.EVNAME_COUNT_AS_WRITTEN // by their braces
	Scheduled Grouping = C.EVNAME_COUNT_SCHEDULED  // the fewest groups that the counters can count; each event once
	Single    Grouping = C.EVNAME_COUNT_SINGLE     // each event on its own
)

// CounterOptions are options of counters.
type CounterOptions struct {
	Groups       Grouping
	Inherit      bool // also the threads and processes that are made later
	EnableOnExec bool // start when the thread executes a program; what is counted on CPUs, and clocks, start when opened
	Pinned       bool // never share a counter
	NoUserReads  bool // always read by system calls
	Partial      bool // leave out events that can't be counted: see Counter.Problem
	KernelToo    bool // fail if the kernel may not be counted, instead of counting only user space
}

// Counters are open counters, which count while they are enabled. Goroutines may share them.
type Counters struct {
	handle *C.evname_counters
	events []Counter
}

// Counter is an event of Counters.
type Counter struct {
	Name    string // as it was written, without modifiers
	PMU     string // "cpu", "software", …
	Problem error  // the reason why it is not counted, by CounterOptions.Partial
}

// CounterValue is the count of an event since the counters were opened.
type CounterValue struct {
	Value   uint64  // number of times that the event was seen
	Enabled uint64  // ns that the event was enabled
	Running uint64  // ns that it had a counter; 0: it never had one, and Value means nothing
	Scaled  float64 // Value for all of Enabled, an estimate if Running is less
}

// NewCounters opens a list of events in the syntax of perf -e. Nothing is counted until they are enabled. The error says
// which event can't be counted and why, and its hint proposes a remedy.
func NewCounters(machine *Machine, events string, target Target, options CounterOptions) (*Counters, error) {
	if machine.closed() {
		return nil, ErrClosed
	}
	defer runtime.KeepAlive(machine)
	var kept memory
	defer kept.free()
	text, err := kept.text(events)
	if err != nil {
		return nil, err
	}
	var where C.evname_count_target
	if err := target.fill(&where, &kept); err != nil {
		return nil, err
	}
	counters := &Counters{}
	var failure C.evname_error
	status := C.evname_counters_open(machine.handle, text, &where, C.uint32_t(options.Groups), options.flags(), &counters.handle, &failure)
	if err := check(status, &failure); err != nil {
		return nil, err
	}
	runtime.SetFinalizer(counters, (*Counters).Close)
	counters.listEvents()
	return counters, nil
}

func (o CounterOptions) flags() (flags C.uint32_t) {
	for _, one := range []struct {
		set  bool
		flag C.uint32_t
	}{
		{o.Inherit, C.EVNAME_COUNT_INHERIT},
		{o.EnableOnExec, C.EVNAME_COUNT_ENABLE_ON_EXEC},
		{o.Pinned, C.EVNAME_COUNT_PINNED},
		{o.NoUserReads, C.EVNAME_COUNT_NO_USER_READS},
		{o.Partial, C.EVNAME_COUNT_PARTIAL},
		{o.KernelToo, C.EVNAME_COUNT_KERNEL_TOO},
	} {
		if one.set {
			flags |= one.flag
		}
	}
	return flags
}

func (c *Counters) listEvents() {
	defer runtime.KeepAlive(c)
	var attr C.evname_attr
	var name *C.char
	for i := C.size_t(0); C.evname_counters_event_at(c.handle, i, &attr, &name) == C.EVNAME_OK; i++ {
		var failure C.evname_error
		problem := check(C.evname_counters_problem(c.handle, i, &failure), &failure)
		c.events = append(c.events, Counter{C.GoString(name), C.GoString(attr.pmu), problem})
	}
}

// Close closes counters.
func (c *Counters) Close() {
	defer runtime.KeepAlive(c)
	C.evname_counters_free(c.handle)
	c.handle = nil
	runtime.SetFinalizer(c, nil)
}

// Events returns the events, in the order of opening.
func (c *Counters) Events() []Counter { return c.events }

// Enable starts all counters.
func (c *Counters) Enable() error {
	if c.handle == nil {
		return ErrClosed
	}
	defer runtime.KeepAlive(c)
	var failure C.evname_error
	return check(C.evname_counters_enable(c.handle, &failure), &failure)
}

// Disable stops all counters; they can still be read.
func (c *Counters) Disable() error {
	if c.handle == nil {
		return ErrClosed
	}
	defer runtime.KeepAlive(c)
	var failure C.evname_error
	return check(C.evname_counters_disable(c.handle, &failure), &failure)
}

// Read reads the count of each event.
func (c *Counters) Read() ([]CounterValue, error) {
	if c.handle == nil {
		return nil, ErrClosed
	}
	defer runtime.KeepAlive(c)
	values := make([]C.evname_counter_value, len(c.events)+1) // one more, as there may be none
	var failure C.evname_error
	status := C.evname_counters_read(c.handle, &values[0], C.size_t(len(values)), &failure)
	if err := check(status, &failure); err != nil {
		return nil, err
	}
	found := make([]CounterValue, len(c.events))
	for i := range found {
		one := &values[i]
		found[i] = CounterValue{uint64(one.value), uint64(one.enabled), uint64(one.running), float64(one.scaled)}
	}
	return found, nil
}

// UserReadable returns the number of events that can be read now without a system call: only in the thread that opened
// the counters (runtime.LockOSThread).
func (c *Counters) UserReadable() int {
	if c.handle == nil {
		return 0
	}
	defer runtime.KeepAlive(c)
	return int(C.evname_counters_user_readable(c.handle))
}
