package evname

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
)

func data(name string) string { return filepath.Join("..", "..", "tests", "data", name) }

func open(t *testing.T, path string) (*Recording, *Samples) {
	t.Helper()
	recording, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	samples, err := recording.Samples(ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return recording, samples
}

func named(t *testing.T, cpu string) *Machine {
	t.Helper()
	machine, err := Named(cpu)
	if err != nil {
		t.Fatal(err)
	}
	return machine
}

// printed counts how often perf script printed each thread's name, and each event's.
func printed(t *testing.T, name string) (comms, events map[string]int) {
	text, err := os.ReadFile(data(name))
	if err != nil {
		t.Fatal(err)
	}
	comms, events = map[string]int{}, map[string]int{}
	for _, line := range strings.Split(strings.TrimRight(string(text), "\n"), "\n") {
		words := strings.Fields(line)
		comms[words[0]]++
		for i := len(words) - 1; i >= 0; i-- {
			if strings.HasSuffix(words[i], ":") {
				events[strings.TrimSuffix(words[i], ":")]++
				break
			}
		}
	}
	return comms, events
}

func TestSamplesAreThoseOfPerf(t *testing.T) {
	for _, name := range []string{"neoverse-n1", "cortex-a72-system"} {
		recording, samples := open(t, data(name+".data"))
		comms, events := map[string]int{}, map[string]int{}
		last := uint64(0)
		for samples.Next() {
			sample := samples.Sample()
			comms[sample.Comm]++
			events[recording.Events()[sample.Event].RecordedName]++
			if sample.Fields&FieldTime == 0 || sample.Time < last {
				t.Errorf("%s: time %d after %d", name, sample.Time, last)
			}
			last = sample.Time
		}
		expectedComms, expectedEvents := printed(t, name+".script")
		if !reflect.DeepEqual(comms, expectedComms) || !reflect.DeepEqual(events, expectedEvents) {
			t.Errorf("%s: %v %v, not %v %v", name, comms, events, expectedComms, expectedEvents)
		}
		if samples.Err() != nil || samples.Warnings() != nil {
			t.Error(samples.Err(), samples.Warnings())
		}
	}
}

func TestAllStopsAndGoesOn(t *testing.T) {
	_, samples := open(t, data("neoverse-n1.data"))
	count := 0
	samples.All()(func(sample Sample, err error) bool {
		// neoverse-n1.script, first line: sh 149/149 5.774380: page-faults/period=5/
		if count == 0 && (sample.Comm != "sh" || sample.PID != 149 || sample.Period != 5 || sample.Time/1000 != 5774380) {
			t.Errorf("%+v", sample)
		}
		count++
		return count < 100
	})
	samples.All()(func(Sample, error) bool { count++; return true })
	if count != 374 {
		t.Error(count)
	}
}

func TestNamesAndCodes(t *testing.T) {
	machine := named(t, "skylakex")
	encodings, err := machine.Resolve("mem_load_retired.l3_miss:u")
	if err != nil || len(encodings) != 1 {
		t.Fatal(encodings, err)
	}
	if e := encodings[0]; e.PMU != "cpu" || e.Type != 4 || e.Words != (Code{0x20d1}) || !e.ExcludeKernel || e.ExcludeUser {
		t.Errorf("%+v", e)
	}
	many, err := machine.Resolve(strings.Repeat("cpu/event=0x3c/,", 39) + "cpu/event=0x3c/")
	if err != nil || len(many) != 40 {
		t.Error(len(many), err)
	}
	for code, expected := range map[uint64]string{
		0x20d1:   "mem_load_retired.l3_miss",
		0x8000c4: "br_inst_retired.all_branches with inv=1",
		0xffff:   "cpu/event=0xff,umask=0xff/",
	} {
		if name, err := machine.Name(Code{code}, ""); name != expected || err != nil {
			t.Errorf("%#x: %s, not %s (%v)", code, name, expected, err)
		}
	}
	names, err := machine.Names(Code{0x20d1}, "cpu")
	if err != nil || !names.Exact || names.Terms != "event=0xd1,umask=0x20" || len(names.Names) != 1 {
		t.Error(names, err)
	}
}

func TestRecordedEvents(t *testing.T) {
	recording, _ := open(t, data("neoverse-n1.data"))
	events := recording.Events()
	if events[0].Name != "cpu_cycles" || events[1].Name != "inst_retired" || events[0].RecordedName != "r11" {
		t.Errorf("%+v", events)
	}
	machine := recording.Machine()
	if name, err := machine.Name(Code{0x11}, ""); name != "cpu_cycles" || err != nil {
		t.Error(name, err)
	}
	if machine.CPU().Arch != "arm64" {
		t.Error(machine.CPU())
	}
}

func TestErrors(t *testing.T) {
	machine := named(t, "skylakex")
	for _, row := range []struct {
		text   string
		kind   error
		offset int64
		hint   string
	}{
		{"cycles,cpu/event=zz/", ErrInvalidArgument, 11, ""},
		{"mem_load_retired.l3_mis", ErrNotFound, 0, "mem_load_retired.l3_miss"},
		{"cyc\x00les", ErrInvalidArgument, 3, ""},
	} {
		_, err := machine.Resolve(row.text)
		var failure *Error
		if !errors.As(err, &failure) || !errors.Is(err, row.kind) || failure.Offset != row.offset ||
			!strings.Contains(failure.Hint, row.hint) || !strings.Contains(err.Error(), failure.Message) {
			t.Errorf("%q: %#v", row.text, err)
		}
	}
	if _, err := Named("no such CPU"); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	bytes, err := os.ReadFile(data("neoverse-n1.data"))
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(data("neoverse-n1.data"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	fromBytes, err := OpenBytes(bytes, "box")
	if err != nil || len(fromBytes.Events()) != 3 {
		t.Error("from bytes:", err)
	}
	fromFile, err := OpenFile(file)
	if err != nil || len(fromFile.Events()) != 3 {
		t.Error("from a file:", err)
	}
	if _, err := OpenBytes(nil, "box"); err == nil || !strings.Contains(err.Error(), "box") {
		t.Error("no bytes:", err)
	}
	if _, err := Open("/no such file"); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
}

func TestDamageIsTold(t *testing.T) {
	whole, err := os.ReadFile(data("neoverse-n1.data"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "damaged.data")
	if err := os.WriteFile(path, whole[:9000], 0o600); err != nil {
		t.Fatal(err)
	}
	_, samples := open(t, path)
	count := uint64(0)
	for samples.Next() {
		count++
	}
	tally, err := samples.Tally()
	if err != nil || count == 0 || count >= 374 || tally.Samples != count || len(samples.Warnings()) == 0 {
		t.Error(count, tally, err, samples.Warnings())
	}
}

func TestClosed(t *testing.T) {
	recording, samples := open(t, data("neoverse-n1.data"))
	machine := recording.Machine()
	recording.Close()
	if !samples.Next() || samples.Sample().Comm != "sh" {
		t.Error("a pass ends with its recording")
	}
	samples.Close()
	samples.Close()
	if samples.Next() || samples.Sample().Comm != "" || samples.Warnings() != nil {
		t.Error("a closed pass goes on")
	}
	if _, err := machine.Resolve("cycles"); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	if _, err := recording.Samples(ReadOptions{}); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

func TestMachinesAreShared(t *testing.T) {
	machine := named(t, "skylakex")
	var group sync.WaitGroup
	for i := 0; i < 8; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for k := 0; k < 100; k++ {
				if name, err := machine.Name(Code{0x20d1}, ""); name != "mem_load_retired.l3_miss" || err != nil {
					t.Error(name, err)
				}
			}
		}()
	}
	group.Wait()
}

// perf script -F event,dso of it.
func TestFramesHaveTheFilesThatPerfNames(t *testing.T) {
	recording, err := Open(data("neoverse-n1.data"))
	if err != nil {
		t.Fatal(err)
	}
	symbols, err := NewSymbols(SymbolOptions{NoLines: true})
	if err != nil {
		t.Fatal(err)
	}
	samples, err := recording.Samples(ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for samples.Next() {
		sample := samples.Sample()
		frames, err := samples.Stack(symbols)
		if err != nil || len(frames) == 0 || frames[0].IP != sample.IP {
			t.Fatal(frames, err)
		}
		frame := frames[0]
		mapping, err := samples.Mapping(frame.IP, frame.Kernel)
		if err != nil || mapping.Start > frame.IP || frame.IP >= mapping.End || mapping.Kernel != frame.Kernel ||
			!frame.Kernel && mapping.File != frame.DSO {
			t.Error(mapping, err)
		}
		if none, err := samples.Mapping(1, false); none != nil || err != nil {
			t.Error(none, err)
		}
		if recording.Events()[sample.Event].Name == "cpu_cycles" {
			counts[frame.DSO]++
		}
	}
	if !reflect.DeepEqual(counts, map[string]int{"/usr/bin/busybox": 221, "[kernel.kallsyms]": 18}) {
		t.Error(counts)
	}
	if _, err := samples.Stack(symbols); !errors.Is(err, ErrInvalidArgument) {
		t.Error(err)
	}
	symbols.Close()
	if _, err := samples.Stack(symbols); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

// deferred-zstd.chains: perf script -F ip of it.
func TestStacksAreTheChainsOfPerf(t *testing.T) {
	recording, err := Open(data("deferred-zstd.data"))
	if err != nil {
		t.Fatal(err)
	}
	printed, err := os.ReadFile(data("deferred-zstd.chains"))
	if err != nil {
		t.Fatal(err)
	}
	samples, err := recording.Samples(ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split(strings.TrimRight(string(printed), "\n"), "\n\n") {
		if !samples.Next() {
			t.Fatal("perf has more samples")
		}
		symbols, err := NewSymbols(SymbolOptions{}) // need not last
		if err != nil {
			t.Fatal(err)
		}
		frames, err := samples.Stack(symbols)
		if err != nil {
			t.Fatal(err)
		}
		symbols.Close()
		var addresses []string
		for _, frame := range frames {
			addresses = append(addresses, fmt.Sprintf("%x", frame.IP))
		}
		if expected := strings.Fields(block)[2:]; !reflect.DeepEqual(addresses, expected) {
			t.Errorf("%v, not %v", addresses, expected)
		}
		if name := ContextName(samples.Sample().Callchain[0]); !strings.HasPrefix(name, "PERF_CONTEXT_") {
			t.Error(name)
		}
	}
	if samples.Next() || ContextName(0x401530) != "" {
		t.Error("perf has fewer samples")
	}
}

func TestTheExamplePrintsStacks(t *testing.T) {
	kallsyms := filepath.Join(t.TempDir(), "kallsyms")
	symbols := "ffff800008000000 T _text\nffff800008000010 t whole_kernel\nffff80000a000000 T _end\n"
	if err := os.WriteFile(kallsyms, []byte(symbols), 0o600); err != nil {
		t.Fatal(err)
	}
	printed, err := exec.Command("go", "run", "./examples/stacks", data("neoverse-n1.data"), kallsyms).Output()
	if err != nil {
		t.Fatal(err)
	}
	lines, counts := strings.Split(strings.TrimRight(string(printed), "\n"), "\n"), map[string]int{}
	for _, line := range lines {
		frames := strings.Split(line, ";")
		if frames[0] == "cpu_cycles" {
			counts[strings.Split(frames[len(frames)-1], "+")[0]]++
		}
	}
	if len(lines) != 374 || !reflect.DeepEqual(counts, map[string]int{"busybox": 221, "whole_kernel": 18}) {
		t.Error(len(lines), counts)
	}
}

// textOf writes a record as perf script --show-mmap-events and its like do.
func textOf(r *Record) string {
	word := func(bit uint32, letter, other string) string {
		if r.Protection&bit != 0 {
			return letter
		}
		return other
	}
	task := fmt.Sprintf("(%d:%d):(%d:%d)", r.OwnPID, r.OwnTID, r.OtherPID, r.OtherTID)
	where := fmt.Sprintf("%d/%d: [%#x(%#x) @ ", r.OwnPID, r.OwnTID, r.Address, r.Size)
	if r.Offset == 0 && r.Type == 10 {
		where += "0"
	} else {
		where += fmt.Sprintf("%#x", r.Offset)
	}
	switch name := r.TypeName(); name {
	case "MMAP":
		kind := "x"
		if r.IsData {
			kind = "r"
		}
		return fmt.Sprintf("%s %s]: %s %s", name, where, kind, r.Name)
	case "MMAP2":
		file := fmt.Sprintf(" %02x:%02x %d %d", r.DeviceMajor, r.DeviceMinor, r.Inode, r.Generation)
		if r.Fields&RecordBuildID != 0 {
			file = fmt.Sprintf(" <%x>", r.BuildID)
		}
		shared := "p"
		if r.Flags&1 != 0 {
			shared = "s"
		}
		return name + " " + where + file + "]: " + word(1, "r", "-") + word(2, "w", "-") + word(4, "x", "-") + shared + " " + r.Name
	case "COMM":
		exec := ""
		if r.IsExec {
			exec = " exec"
		}
		return fmt.Sprintf("%s%s: %s:%d/%d", name, exec, r.Name, r.OwnPID, r.OwnTID)
	case "FORK", "EXIT":
		return name + task
	case "KSYMBOL":
		return fmt.Sprintf("%s addr %x len %d type %d flags %#x name %s", name, r.Address, r.Size, r.Kind, r.Flags, r.Name)
	case "BPF_EVENT":
		return fmt.Sprintf("%s type %d, flags %d, id %d", name, r.Kind, r.Flags, r.OwnID)
	case "CGROUP":
		return fmt.Sprintf("%s cgroup: %d %s", name, r.OwnID, r.Name)
	}
	return ""
}

// records.txt: perf script of them.
func TestRecordsAreThoseOfPerf(t *testing.T) {
	text, err := os.ReadFile(data("records.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split(string(text), "== ")[1:] {
		lines := strings.Split(strings.TrimRight(block, "\n"), "\n")
		recording, samples := open(t, data(lines[0]))
		var printed []string
		var ofRecords, alone []uint64
		for samples.NextRecord() {
			record := samples.Record()
			if record.Sample != nil {
				ofRecords = append(ofRecords, record.Sample.IP+record.Sample.Time)
				if record.Type != 9 || record.Time != record.Sample.Time || record.Event != record.Sample.Event {
					t.Errorf("%+v", record)
				}
			} else if text := textOf(&record); text != "" {
				printed = append(printed, fmt.Sprintf("%d.%09d: PERF_RECORD_%s", record.Time/1e9, record.Time%1e9, text))
			}
		}
		if samples.Err() != nil || !reflect.DeepEqual(printed, lines[1:]) {
			t.Errorf("%s: %v\n%s", lines[0], samples.Err(), strings.Join(printed, "\n"))
		}
		if last := samples.Record(); last.Type != 0 || last.Sample != nil {
			t.Errorf("%+v", last)
		}
		again, err := recording.Samples(ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for again.Next() {
			alone = append(alone, again.Sample().IP+again.Sample().Time)
		}
		if len(alone) == 0 || !reflect.DeepEqual(alone, ofRecords) {
			t.Errorf("%s: %d samples, not %d", lines[0], len(ofRecords), len(alone))
		}
	}
}

// perf report --stats of it.
func TestRecordsHaveTheTypesThatPerfCounts(t *testing.T) {
	_, samples := open(t, data("neoverse-n1.data"))
	counts := map[string]int{}
	for samples.NextRecord() {
		record := samples.Record()
		counts[record.TypeName()]++
		if fork := record; fork.TypeName() == "FORK" && // perf script -D, and the bytes
			(fork.Time != 5786781856 || fork.OwnTime != 5786782464 || fork.IsExec || fork.Fields&RecordIsExec == 0 || fork.Fields&RecordName != 0) {
			t.Errorf("%+v", fork)
		}
	}
	expected := map[string]int{"MMAP": 1, "MMAP2": 2, "COMM": 4, "FORK": 1, "EXIT": 2, "SAMPLE": 374, "FINISHED_ROUND": 2,
		"ID_INDEX": 1, "THREAD_MAP": 1, "CPU_MAP": 1, "TIME_CONV": 1, "FINISHED_INIT": 1}
	if !reflect.DeepEqual(counts, expected) {
		t.Error(counts)
	}
	samples.Close()
	if samples.NextRecord() || samples.Record().Type != 0 {
		t.Error("a closed pass goes on")
	}
}

// The collector may free a handle as soon as nobody needs the Go value any more, which can be in the middle of a call
// that was given the handle: every function that uses one keeps its value alive to its end.
func TestHandlesOutliveCalls(t *testing.T) {
	packages, err := parser.ParseDir(token.NewFileSet(), ".", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, file := range packages["evname"].Files {
		for _, declaration := range file.Decls {
			function, is := declaration.(*ast.FuncDecl)
			if !is || function.Body == nil {
				continue
			}
			for name := range ownersIn(function) {
				checked++
				if !deferredKeepAlive(function.Body, name) {
					t.Errorf("%s uses a handle or the memory of %s without runtime.KeepAlive", function.Name.Name, name)
				}
			}
		}
	}
	if checked < 15 {
		t.Errorf("only %d functions use handles", checked)
	}
}

// ownersIn returns the variables whose handle a function passes on, x of C.f(x.handle), or whose sample it uses, x of
// x.next: that points to the library's memory.
func ownersIn(function *ast.FuncDecl) map[string]bool {
	found := map[string]bool{}
	ast.Inspect(function.Body, func(node ast.Node) bool {
		if call, is := node.(*ast.CallExpr); is {
			if library, is := call.Fun.(*ast.SelectorExpr); is {
				if from, is := library.X.(*ast.Ident); is && from.Name == "C" {
					for _, argument := range call.Args {
						if x, is := ownerOf(argument); is {
							found[x] = true
						}
					}
				}
			}
		}
		if member, is := node.(*ast.SelectorExpr); is && member.Sel.Name == "next" {
			if x, is := member.X.(*ast.Ident); is {
				found[x.Name] = true
			}
		}
		return true
	})
	return found
}

func ownerOf(argument ast.Expr) (string, bool) {
	if member, is := argument.(*ast.SelectorExpr); is && member.Sel.Name == "handle" {
		if x, is := member.X.(*ast.Ident); is {
			return x.Name, true
		}
	}
	return "", false
}

func deferredKeepAlive(body *ast.BlockStmt, name string) bool {
	found := false
	ast.Inspect(body, func(node ast.Node) bool {
		if statement, is := node.(*ast.DeferStmt); is {
			if function, is := statement.Call.Fun.(*ast.SelectorExpr); is && function.Sel.Name == "KeepAlive" {
				if x, is := statement.Call.Args[0].(*ast.Ident); is && x.Name == name {
					found = true
				}
			}
		}
		return true
	})
	return found
}
