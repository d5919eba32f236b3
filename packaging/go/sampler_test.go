package evname

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
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
		touch(t)
		found := map[uint64]bool{}
		for samples.Next() {
			sample := samples.Sample()
			if sample.PID != os.Getpid() || sample.Fields&FieldAddr == 0 {
				t.Fatal(sample)
			}
			found[sample.Addr/uint64(os.Getpagesize())] = true
			total++
		}
		if len(found) < pages || samples.Err() != nil {
			t.Fatal(len(found), samples.Err())
		}
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
	if losses, err := sampler.Losses(); err != nil || losses != (Losses{}) {
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

func TestSamplersThatCanNotBe(t *testing.T) {
	sampler := openSampler(t, SamplerOptions{}, faults())
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
	if err != nil || !strings.Contains(string(printed), "main.work") {
		t.Fatal(string(printed), err)
	}
}
