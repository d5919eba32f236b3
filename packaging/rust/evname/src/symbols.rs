use crate::error::{c_path, call, text, Error};
use evname_sys as sys;
use std::ffi::CString;
use std::path::PathBuf;
use std::ptr::{null, null_mut, NonNull};

/// Where and how to look for symbols. The default is perf's.
#[derive(Clone, Debug, Default)]
pub struct SymbolOptions {
    /// Goes before the path of each file.
    pub symfs: Option<PathBuf>,
    /// The kernel's image.
    pub vmlinux: Option<PathBuf>,
    /// Read instead of /proc/kallsyms.
    pub kallsyms: Option<PathBuf>,
    /// perf's cache of files, instead of ~/.debug.
    pub cache: Option<PathBuf>,
    /// No source and line, which is faster.
    pub no_lines: bool,
    /// No frames of inlined functions.
    pub no_inlines: bool,
    /// Names of C++ and Rust as the linker knows them.
    pub mangled: bool,
    /// Ask the servers of $DEBUGINFOD_URLS for files that are not here.
    pub debuginfod: bool,
}

/// Finds functions at addresses, for [`Samples::stack`](crate::Samples::stack). It reads each file once.
#[derive(Debug)]
pub struct Symbols {
    pub(crate) handle: NonNull<sys::evname_symbols>,
}

// SAFETY: evname.h: any number of threads may use it at once.
unsafe impl Send for Symbols {}
unsafe impl Sync for Symbols {}

/// A function in a stack.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Frame {
    /// Empty if no symbol is known.
    pub function: String,
    /// Bytes from the start of the function's symbol.
    pub offset: u64,
    /// The file that has the address, as perf names it; "\[unknown\]" if nothing is known to be mapped there.
    pub dso: String,
    /// The source file; empty if unknown.
    pub source: String,
    /// In `source`.
    pub line: Option<u32>,
    /// The address in the process or the kernel.
    pub ip: u64,
    /// The same in the file's own addresses, as objdump prints them.
    pub address: u64,
    /// The caller is the frame that follows.
    pub inlined: bool,
    /// In the kernel or one of its modules.
    pub kernel: bool,
    /// `function`; if it is unknown, "libc.so.6+0x1234" or the address.
    pub label: String,
}

/// A file that is mapped into a process or the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mapping {
    /// The path, or a name as "\[vdso\]".
    pub file: String,
    /// Of the file; empty if unknown.
    pub build_id: Vec<u8>,
    /// The address of its first byte.
    pub start: u64,
    /// The address after its last byte.
    pub end: u64,
    /// Of the first byte in the file; kernel: the address of _text.
    pub offset: u64,
    /// The process.
    pub pid: i32,
    /// The kernel or one of its modules.
    pub kernel: bool,
}

fn path(from: &Option<PathBuf>) -> crate::Result<Option<CString>> {
    from.as_deref().map(c_path).transpose()
}

impl Symbols {
    /// Reads nothing yet.
    pub fn new(options: &SymbolOptions) -> crate::Result<Symbols> {
        let texts =
            [path(&options.symfs)?, path(&options.vmlinux)?, path(&options.kallsyms)?, path(&options.cache)?];
        let place = |index: usize| texts[index].as_ref().map_or(null(), |text: &CString| text.as_ptr());
        let flag = |set: bool, bit: u32| if set { u64::from(bit) } else { 0 };
        let given = sys::evname_symbol_options {
            symfs: place(0),
            vmlinux: place(1),
            kallsyms: place(2),
            cache: place(3),
            flags: flag(options.no_lines, sys::EVNAME_SYMBOLS_NO_LINES)
                | flag(options.no_inlines, sys::EVNAME_SYMBOLS_NO_INLINES)
                | flag(options.mangled, sys::EVNAME_SYMBOLS_MANGLED)
                | flag(options.debuginfod, sys::EVNAME_SYMBOLS_DEBUGINFOD),
            ..Default::default()
        };
        let mut symbols = null_mut();
        call(|error| unsafe { sys::evname_symbols_new(&given, &mut symbols, error) })?;
        let handle = NonNull::new(symbols).ok_or_else(|| Error::of_status(sys::EVNAME_INTERNAL as i32))?;
        Ok(Symbols { handle })
    }
}

impl Drop for Symbols {
    fn drop(&mut self) {
        // SAFETY: it is ours; a pass keeps what it needs of it.
        unsafe { sys::evname_symbols_free(self.handle.as_ptr()) }
    }
}

/// A list of frames of the library.
#[derive(Debug)]
pub(crate) struct Frames(NonNull<sys::evname_frames>);

impl Frames {
    pub(crate) fn new() -> crate::Result<Frames> {
        let mut frames = null_mut();
        call(|error| unsafe { sys::evname_frames_new(&mut frames, error) })?;
        NonNull::new(frames).map(Frames).ok_or_else(|| Error::of_status(sys::EVNAME_INTERNAL as i32))
    }

    pub(crate) fn as_ptr(&self) -> *mut sys::evname_frames {
        self.0.as_ptr()
    }

    pub(crate) fn list(&self) -> Vec<Frame> {
        // SAFETY: indexes are below the count, and texts live as long as the list is not changed.
        unsafe { (0..sys::evname_frames_count(self.as_ptr())).map(|index| self.at(index)).collect() }
    }

    unsafe fn at(&self, index: usize) -> Frame {
        let mut frame = sys::evname_frame::default();
        sys::evname_frames_at(self.as_ptr(), index, &mut frame);
        Frame {
            function: text(frame.function),
            offset: frame.offset,
            dso: text(frame.dso),
            source: text(frame.source),
            line: (frame.line != 0).then(|| frame.line),
            ip: frame.ip,
            address: frame.address,
            inlined: frame.flags & sys::EVNAME_FRAME_INLINED != 0,
            kernel: frame.flags & sys::EVNAME_FRAME_KERNEL != 0,
            label: text(frame.label),
        }
    }
}

impl Drop for Frames {
    fn drop(&mut self) {
        // SAFETY: it is ours, and nobody has it any more.
        unsafe { sys::evname_frames_free(self.as_ptr()) }
    }
}

impl Mapping {
    /// # Safety
    /// `from` and the texts that it points to must still be valid.
    pub(crate) unsafe fn of(from: &sys::evname_mapping) -> Mapping {
        Mapping {
            file: text(from.file),
            build_id: crate::samples::copied(from.build_id, from.build_id_size),
            start: from.start,
            end: from.end,
            offset: from.offset,
            pid: from.pid,
            kernel: from.kernel != 0,
        }
    }
}

/// Returns the name of a marker in [`Sample::callchain`](crate::Sample::callchain), such as "PERF_CONTEXT_USER"; `None`
/// for an address.
pub fn context_name(word: u64) -> Option<String> {
    // SAFETY: the text is static, for any number.
    Some(unsafe { text(sys::evname_context_name(word)) }).filter(|name| !name.is_empty())
}
