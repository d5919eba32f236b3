package evname

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

const pages = 64

// touch writes to new pages.
func touch(t *testing.T) {
	memory, err := syscall.Mmap(-1, 0, pages*os.Getpagesize(), syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(memory); at += os.Getpagesize() {
		memory[at] = 1
	}
	if err := syscall.Munmap(memory); err != nil {
		t.Fatal(err)
	}
}

// comesTrue repeats once until it returns true, as the kernel may throttle samples.
func comesTrue(t *testing.T, once func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !once(); {
		if time.Now().After(end) {
			t.Fatal("it takes too long")
		}
	}
}

func faults() SampledEvents { return SampledEvents{Events: "page-faults:u", Period: 1, Fields: "addr"} }

func openSampler(t *testing.T, options SamplerOptions, events ...SampledEvents) *Sampler {
	machine, err := Live()
	if err != nil {
		t.Fatal(err)
	}
	sampler, err := NewSampler(machine, events, Target{}, options)
	if errors.Is(err, ErrIO) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return sampler
}

func TestSamplesComeWhileTheProgramRuns(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	sampler := openSampler(t, SamplerOptions{Keep: 1 << 20}, faults())
	defer sampler.Close()
	samples, err := sampler.Samples()
	if err != nil {
		t.Fatal(err)
	}
	defer samples.Close()
	if err := sampler.Enable(); err != nil {
		t.Fatal(err)
	}
	total := 0
	for round := 0; round < 2; round++ { // the samples go on after their end
		before := total
		comesTrue(t, func() bool {
			touch(t)
			for samples.Next() {
				sample := samples.Sample()
				if sample.PID != os.Getpid() || sample.Fields&FieldAddr == 0 {
					t.Fatal(sample)
				}
				total++
			}
			if samples.Err() != nil {
				t.Fatal(samples.Err())
			}
			return total > before
		})
	}
	if alive, err := sampler.Wait(0); !alive || err != nil {
		t.Fatal(alive, err)
	}
	if err := sampler.Disable(); err != nil {
		t.Fatal(err)
	}
	for samples.Next() {
		total++
	}
	if losses, err := sampler.Losses(); err != nil || losses.Damaged != 0 || losses.NotKept != 0 {
		t.Fatal(losses, err)
	}
	own, err := sampler.Recording()
	if err != nil || own.Events()[0].Name != "page-faults" {
		t.Fatal(own, err)
	}
	taken, err := sampler.TakeRecording()
	if err != nil {
		t.Fatal(err)
	}
	kept, err := taken.Samples(ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for kept.Next() {
		count++
	}
	if count != total {
		t.Fatal(count, total)
	}
}

func TestAThreadReadsSamples(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	sampler := openSampler(t, SamplerOptions{Thread: true}, faults())
	defer sampler.Close()
	var seen, own int32
	read := func(samples *Samples) {
		for samples.Next() {
			if samples.Sample().TID != syscall.Gettid() {
				atomic.AddInt32(&seen, 1)
			} else {
				atomic.AddInt32(&own, 1)
			}
		}
		if sampler.Stop() == nil { // it is in its own thread
			atomic.AddInt32(&own, 1)
		}
	}
	if err := sampler.Start(read, time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if err := sampler.Start(read, time.Millisecond); !errors.Is(err, ErrInvalidArgument) {
		t.Fatal(err)
	}
	if err := sampler.Enable(); err != nil {
		t.Fatal(err)
	}
	comesTrue(t, func() bool {
		touch(t)
		return atomic.LoadInt32(&seen) > 0
	})
	if _, err := sampler.Wait(0); !errors.Is(err, ErrInvalidArgument) {
		t.Fatal(err)
	}
	elsewhere, err := sampler.Samples()
	if err != nil || elsewhere.Next() || elsewhere.Err() == nil {
		t.Fatal(err, elsewhere.Err())
	}
	if err := sampler.Stop(); err != nil || own != 0 {
		t.Fatal(err, own)
	}
	if alive, err := sampler.Wait(0); !alive || err != nil {
		t.Fatal(alive, err)
	}
	if err := sampler.Start(read, time.Millisecond); err != nil {
		t.Fatal(err)
	}
	sampler.Close() // stops it
	if err := sampler.Stop(); err != ErrClosed {
		t.Fatal(err)
	}
}

func TestAScopeNamesTheFunctionsOfItsBlocks(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	sampler := openSampler(t, SamplerOptions{}, faults())
	symbols, err := NewSymbols(SymbolOptions{})
	if err != nil {
		t.Fatal(err)
	}
	scope, err := NewSampleScope(sampler, symbols)
	if err != nil {
		t.Fatal(err)
	}
	sampler.Close() // the scope keeps both open
	symbols.Close()
	total := func() (sum uint64) {
		for _, one := range scope.Functions(0) {
			sum += one.Samples
			if one.Period != one.Samples || one.DSO == "" {
				t.Fatal(one)
			}
		}
		return sum
	}
	for round, before := 0, total(); round < 2; round, before = round+1, total() { // they add up
		comesTrue(t, func() bool {
			if err := scope.Start(); err != nil {
				t.Fatal(err)
			}
			touch(t)
			if err := scope.Stop(); err != nil {
				t.Fatal(err)
			}
			return total() > before
		})
	}
	if total() == 0 || len(scope.Functions(1)) != 0 {
		t.Fatal(scope.Functions(0), scope.Functions(1))
	}
	scope.Close()
	if err := scope.Start(); err != ErrClosed || scope.Functions(0) != nil {
		t.Fatal(err)
	}
	if _, err := NewSampleScope(sampler, symbols); err != ErrClosed {
		t.Fatal(err)
	}
}

func TestSamplersThatCanNotBe(t *testing.T) {
	sampler := openSampler(t, SamplerOptions{}, faults())
	if err := sampler.Start(func(*Samples) {}, time.Second); !errors.Is(err, ErrInvalidArgument) {
		t.Fatal(err)
	}
	if _, err := sampler.TakeRecording(); !errors.Is(err, ErrInvalidArgument) {
		t.Fatal(err)
	}
	sampler.Close()
	if err := sampler.Enable(); err != ErrClosed {
		t.Fatal(err)
	}
	machine, err := Live()
	if err != nil {
		t.Fatal(err)
	}
	wrong := faults()
	wrong.Fields = "adr"
	_, err = NewSampler(machine, []SampledEvents{wrong}, Target{PIDs: []int32{int32(os.Getpid())}}, SamplerOptions{})
	var failure *Error
	if !errors.As(err, &failure) || failure.Message != "samples have no field 'adr'" || failure.Hint != "did you mean addr?" {
		t.Fatal(err)
	}
}

func TestSampleExample(t *testing.T) {
	openSampler(t, SamplerOptions{}, faults()).Close()
	program := filepath.Join(t.TempDir(), "sample")
	if printed, err := exec.Command("go", "build", "-o", program, "./examples/sample").CombinedOutput(); err != nil {
		t.Fatal(string(printed), err)
	}
	printed, err := exec.Command(program, "cpu-clock:u").Output()
	if err != nil || !strings.Contains(string(printed), "main.chase") {
		t.Fatal(string(printed), err)
	}
}
