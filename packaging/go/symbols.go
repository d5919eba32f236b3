package evname

/*
#include <evname/evname.h>
#include <stdlib.h>
*/
import "C"

import (
	"errors"
	"runtime"
	"unsafe"
)

// SymbolOptions say where and how to look for symbols. Empty, they are perf's.
type SymbolOptions struct {
	Symfs      string // goes before the path of each file
	Vmlinux    string // the kernel's image
	Kallsyms   string // read instead of /proc/kallsyms
	Cache      string // perf's cache of files, instead of ~/.debug
	NoLines    bool   // no source and line, which is faster
	NoInlines  bool   // no frames of inlined functions
	Mangled    bool   // names of C++ and Rust as the linker knows them
	Debuginfod bool   // ask the servers of $DEBUGINFOD_URLS for files that are not here
}

// Symbols finds functions at addresses, for Samples.Stack. It reads each file once; goroutines may share it.
type Symbols struct {
	handle *C.evname_symbols
}

// Frame is a function in a stack.
type Frame struct {
	Function string // empty if no symbol is known
	Offset   uint64 // bytes from the start of the function's symbol
	DSO      string // the file that has the address, as perf names it; "[unknown]" if nothing is known to be mapped there
	Source   string // the source file; empty if unknown
	Line     int    // in Source; 0 if unknown
	IP       uint64 // the address in the process or the kernel
	Address  uint64 // the same in the file's own addresses, as objdump prints them
	Inlined  bool   // the caller is the frame that follows
	Kernel   bool   // in the kernel or one of its modules
	Label    string // Function; if it is unknown, "libc.so.6+0x1234" or the address
}

// Mapping is a file that is mapped into a process or the kernel.
type Mapping struct {
	File       string // the path, or a name as "[vdso]"
	BuildID    []byte // of the file; empty if unknown
	Start, End uint64 // the addresses of its first byte, and after its last
	Offset     uint64 // of the first byte in the file; kernel: the address of _text
	PID        int
	Kernel     bool // the kernel or one of its modules
}

// NewSymbols has read nothing yet.
func NewSymbols(options SymbolOptions) (*Symbols, error) {
	given := (*C.evname_symbol_options)(C.calloc(1, C.sizeof_evname_symbol_options))
	defer C.free(unsafe.Pointer(given))
	for _, text := range []struct {
		from string
		to   **C.char
	}{{options.Symfs, &given.symfs}, {options.Vmlinux, &given.vmlinux}, {options.Kallsyms, &given.kallsyms}, {options.Cache, &given.cache}} {
		if text.from == "" {
			continue
		}
		copied, err := cText(text.from)
		if err != nil {
			return nil, err
		}
		defer free(copied)
		*text.to = copied
	}
	for _, flag := range []struct {
		set bool
		bit C.uint64_t
	}{
		{options.NoLines, C.EVNAME_SYMBOLS_NO_LINES}, {options.NoInlines, C.EVNAME_SYMBOLS_NO_INLINES},
		{options.Mangled, C.EVNAME_SYMBOLS_MANGLED}, {options.Debuginfod, C.EVNAME_SYMBOLS_DEBUGINFOD},
	} {
		if flag.set {
			given.flags |= flag.bit
		}
	}
	symbols := &Symbols{}
	var failure C.evname_error
	if err := check(C.evname_symbols_new(given, &symbols.handle, &failure), &failure); err != nil {
		return nil, err
	}
	runtime.SetFinalizer(symbols, (*Symbols).Close)
	return symbols, nil
}

// Close frees Symbols. Passes that have used it go on.
func (s *Symbols) Close() {
	defer runtime.KeepAlive(s)
	C.evname_symbols_free(s.handle)
	s.handle = nil
	runtime.SetFinalizer(s, nil)
}

// Stack returns the functions of the stack of the sample that Next went to, innermost first, with those inlined. It
// Empty if the sample has no address.
func (s *Samples) Stack(symbols *Symbols) ([]Frame, error) {
	if s.handle == nil || symbols.handle == nil {
		return nil, ErrClosed
	}
	defer runtime.KeepAlive(s)
	defer runtime.KeepAlive(symbols)
	var failure C.evname_error
	var list *C.evname_frames
	if err := check(C.evname_frames_new(&list, &failure), &failure); err != nil {
		return nil, err
	}
	defer C.evname_frames_free(list)
	if err := check(C.evname_samples_stack(s.handle, symbols.handle, list, &failure), &failure); err != nil {
		return nil, err
	}
	frames := make([]Frame, C.evname_frames_count(list))
	var from C.evname_frame
	for i := range frames {
		C.evname_frames_at(list, C.size_t(i), &from)
		frames[i] = Frame{
			Function: C.GoString(from.function),
			Offset:   uint64(from.offset),
			DSO:      C.GoString(from.dso),
			Source:   C.GoString(from.source),
			Line:     int(from.line),
			IP:       uint64(from.ip),
			Address:  uint64(from.address),
			Inlined:  from.flags&C.EVNAME_FRAME_INLINED != 0,
			Kernel:   from.flags&C.EVNAME_FRAME_KERNEL != 0,
			Label:    C.GoString(from.label),
		}
	}
	return frames, nil
}

// Mapping returns the mapping that has an address of the sample that Next went to; nil if nothing is known to be mapped
// there.
func (s *Samples) Mapping(address uint64, kernel bool) (*Mapping, error) {
	if s.handle == nil {
		return nil, ErrClosed
	}
	defer runtime.KeepAlive(s)
	var inKernel C.uint32_t
	if kernel {
		inKernel = 1
	}
	var from C.evname_mapping
	var failure C.evname_error
	err := check(C.evname_samples_mapping(s.handle, C.uint64_t(address), inKernel, &from, &failure), &failure)
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &Mapping{
		File:    C.GoString(from.file),
		BuildID: C.GoBytes(unsafe.Pointer(from.build_id), C.int(from.build_id_size)),
		Start:   uint64(from.start),
		End:     uint64(from.end),
		Offset:  uint64(from.offset),
		PID:     int(from.pid),
		Kernel:  from.kernel != 0,
	}, nil
}

// ContextName returns the name of a marker in Sample.Callchain, such as "PERF_CONTEXT_USER"; "" for an address.
func ContextName(word uint64) string { return C.GoString(C.evname_context_name(C.uint64_t(word))) }
