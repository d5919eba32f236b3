use crate::error::{c_path, call, text, texts, Error};
use crate::{MachineRef, ReadOptions, Samples};
use evname_sys as sys;
use std::os::unix::io::{AsRawFd, BorrowedFd};
use std::path::Path;
use std::ptr::{null_mut, NonNull};

/// A recording of perf: a file, a directory, a pipe's output, or "-" for standard input.
#[derive(Debug)]
pub struct Recording {
    handle: NonNull<sys::evname_recording>,
    events: Vec<RecordedEvent>,
}

// SAFETY: evname.h: a recording may be used by several threads at once.
unsafe impl Send for Recording {}
unsafe impl Sync for Recording {}

/// The source of a recorded event's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NamedBy {
    /// The user or perf gave it this name.
    Recording,
    /// The event is a generic one, as perf spells it.
    Kernel,
    /// The machine's tables have that very code.
    Tables,
    /// There is no name: the code is spelled out.
    Code,
}

/// An event of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordedEvent {
    /// Symbolic, without modifiers; `cpu_core/cycles/` if another PMU of the recording or its
    /// machine has the name.
    pub name: String,
    /// As perf prints it, with modifiers: "r11:u".
    pub recorded_name: String,
    /// "u", "ppp".
    pub modifiers: String,
    /// "cpu", "hardware", …; "type N" if unnamed.
    pub pmu: String,
    /// `perf_event_attr.type`.
    pub kind: u32,
    /// config, config1 to config4.
    pub words: [u64; 5],
    /// True if the name has exactly this code.
    pub exact: bool,
    pub named_by: NamedBy,
    /// The kernel's ids.
    pub ids: Vec<u64>,
    /// A bit for each of [`Sample::user_registers`](crate::Sample::user_registers).
    pub user_register_mask: u64,
    /// A bit for each of [`Sample::interrupt_registers`](crate::Sample::interrupt_registers).
    pub interrupt_register_mask: u64,
}

impl Recording {
    /// Opens a recording. Fails only if nothing at all can be read. The file must not be truncated while it is open.
    pub fn open(path: impl AsRef<Path>) -> crate::Result<Recording> {
        let (path, mut recording) = (c_path(path.as_ref())?, null_mut());
        call(|error| unsafe { sys::evname_recording_open(path.as_ptr(), &mut recording, error) })?;
        Recording::opened(recording)
    }

    /// Opens a recording whose bytes are in memory, which are copied. `name` is its path in messages.
    pub fn from_bytes(bytes: &[u8], name: &str) -> crate::Result<Recording> {
        let (name, mut recording) = (c_path(Path::new(name))?, null_mut());
        call(|error| unsafe {
            sys::evname_recording_open_bytes(
                bytes.as_ptr().cast(),
                bytes.len(),
                name.as_ptr(),
                0,
                &mut recording,
                error,
            )
        })?;
        Recording::opened(recording)
    }

    /// Opens a recording that is an open file, or what a pipe yields. `name` is its path in messages.
    pub fn from_descriptor(descriptor: BorrowedFd<'_>, name: &str) -> crate::Result<Recording> {
        let (name, mut recording) = (c_path(Path::new(name))?, null_mut());
        call(|error| unsafe {
            sys::evname_recording_open_descriptor(
                descriptor.as_raw_fd(),
                name.as_ptr(),
                0,
                &mut recording,
                error,
            )
        })?;
        Recording::opened(recording)
    }

    fn opened(recording: *mut sys::evname_recording) -> crate::Result<Recording> {
        NonNull::new(recording)
            .map(Recording::of)
            .ok_or_else(|| Error::of_status(sys::EVNAME_INTERNAL as i32))
    }

    pub(crate) fn of(handle: NonNull<sys::evname_recording>) -> Recording {
        let events = unsafe { events_of(handle.as_ptr()) };
        Recording { handle, events }
    }

    /// Returns the machine that the recording was made on.
    pub fn machine(&self) -> &MachineRef {
        // SAFETY: it lives as long as the recording.
        unsafe { MachineRef::of(sys::evname_recording_machine(self.handle.as_ptr())) }
    }

    /// Returns the events.
    pub fn events(&self) -> &[RecordedEvent] {
        &self.events
    }

    /// Returns descriptions of the faults of the file.
    pub fn warnings(&self) -> Vec<String> {
        texts(|index| unsafe { sys::evname_recording_warning(self.handle.as_ptr(), index) })
    }

    /// Begins a pass over all samples, in constant memory. The recording may be dropped before it ends. One that
    /// comes through a pipe can be read only once.
    pub fn samples(&self, options: ReadOptions) -> crate::Result<Samples> {
        let mut samples = null_mut();
        let flags = options.flags();
        call(|error| unsafe { sys::evname_samples_open(self.handle.as_ptr(), flags, &mut samples, error) })?;
        NonNull::new(samples).map(Samples::of).ok_or_else(|| Error::of_status(sys::EVNAME_INTERNAL as i32))
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        // SAFETY: it is ours, and nobody has it any more.
        unsafe { sys::evname_recording_free(self.handle.as_ptr()) }
    }
}

unsafe fn events_of(recording: *const sys::evname_recording) -> Vec<RecordedEvent> {
    (0..sys::evname_recorded_event_count(recording)).map(|index| event_at(recording, index)).collect()
}

unsafe fn event_at(recording: *const sys::evname_recording, index: usize) -> RecordedEvent {
    let mut event = sys::evname_recorded_event::default();
    sys::evname_recorded_event_at(recording, index, &mut event);
    let ids = match event.ids_count {
        0 => Vec::new(),
        count => std::slice::from_raw_parts(event.ids, count).to_vec(),
    };
    RecordedEvent {
        name: text(event.name),
        recorded_name: text(event.recorded_name),
        modifiers: text(event.modifiers),
        pmu: text(event.pmu),
        kind: event.code.type_,
        words: event.code.config,
        exact: event.exact != 0,
        named_by: match event.named_by {
            sys::EVNAME_NAMED_BY_RECORDING => NamedBy::Recording,
            sys::EVNAME_NAMED_BY_KERNEL => NamedBy::Kernel,
            sys::EVNAME_NAMED_BY_TABLES => NamedBy::Tables,
            _ => NamedBy::Code,
        },
        ids,
        user_register_mask: event.user_register_mask,
        interrupt_register_mask: event.interrupt_register_mask,
    }
}
