package evname

import (
	"errors"
	"os/exec"
	"reflect"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

func openCounters(t *testing.T, events string, options CounterOptions) *Counters {
	t.Helper()
	machine, err := Live()
	if err != nil {
		t.Fatal(err)
	}
	counters, err := NewCounters(machine, events, Target{}, options)
	if errors.Is(err, ErrIO) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return counters
}

func read(t *testing.T, counters *Counters) []CounterValue {
	t.Helper()
	counts, err := counters.Read()
	if err != nil {
		t.Fatal(err)
	}
	return counts
}

// faultsOfThread returns the page faults of this thread by the kernel's own count.
func faultsOfThread(t *testing.T) uint64 {
	const thread = 1 // RUSAGE_THREAD
	var usage syscall.Rusage
	if err := syscall.Getrusage(thread, &usage); err != nil {
		t.Fatal(err)
	}
	return uint64(usage.Minflt + usage.Majflt)
}

func TestCountsAreThoseOfTheKernel(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	counters := openCounters(t, "page-faults:u,task-clock:u", CounterOptions{})
	expected := []Counter{{"page-faults", "software", nil}, {"task-clock", "software", nil}}
	if !reflect.DeepEqual(counters.Events(), expected) || counters.UserReadable() != 0 {
		t.Error(counters.Events(), counters.UserReadable())
	}
	touch(t) // not enabled yet
	before := faultsOfThread(t)
	if err := counters.Enable(); err != nil {
		t.Fatal(err)
	}
	touch(t)
	if err := counters.Disable(); err != nil {
		t.Fatal(err)
	}
	most := faultsOfThread(t) - before
	touch(t)
	counts := read(t, counters)
	faults, clock := counts[0], counts[1]
	if faults.Value == 0 || faults.Value > most || faults.Scaled != float64(faults.Value) {
		t.Error(faults, most)
	}
	// task-clock counts the ns that it was enabled
	if clock.Value == 0 || clock.Running != clock.Enabled || clock.Value > 2*clock.Enabled || clock.Enabled > 2*clock.Value {
		t.Error(clock)
	}
	if again := read(t, counters); !reflect.DeepEqual(again, counts) {
		t.Error(again, counts)
	}
	counters.Close()
	if _, err := counters.Read(); !errors.Is(err, ErrClosed) || !errors.Is(counters.Enable(), ErrClosed) {
		t.Error("closed counters go on")
	}
}

func TestCountersThatCanNotBe(t *testing.T) {
	machine, err := Live()
	if err != nil {
		t.Fatal(err)
	}
	var failure *Error
	for events, offset := range map[string]int64{"page-faults,no_such_event": 12, "page-\x00faults": 5} {
		_, err := NewCounters(machine, events, Target{}, CounterOptions{})
		if !errors.As(err, &failure) || failure.Offset != offset {
			t.Error(err)
		}
	}
	if _, err := NewCounters(machine, "page-faults:u", Target{}, CounterOptions{Groups: 9}); !errors.Is(err, ErrInvalidArgument) {
		t.Error(err)
	}
	counters := openCounters(t, "page-faults:u,cycles:u", CounterOptions{Groups: Single, Partial: true})
	if cycles := counters.Events()[1]; cycles.Name != "cycles" || cycles.Problem != nil && read(t, counters)[1].Running != 0 {
		t.Error(cycles, read(t, counters))
	}
}

func TestTheExampleCounts(t *testing.T) {
	openCounters(t, "page-faults:u", CounterOptions{})
	printed, err := exec.Command("go", "run", "./examples/count", "page-faults:u,task-clock:u").Output()
	lines := strings.Split(strings.TrimRight(string(printed), "\n"), "\n")
	if err != nil || len(lines) != 2 {
		t.Fatal(err, lines)
	}
	for i, name := range []string{"page-faults: ", "task-clock: "} {
		if count := strings.TrimPrefix(lines[i], name); count == lines[i] || count[0] < '1' || count[0] > '9' {
			t.Error(lines[i])
		}
	}
}
