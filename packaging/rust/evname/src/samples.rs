use crate::error::{call, texts, Error};
use crate::symbols::{Frame, Frames, Mapping, Symbols};
use evname_sys as sys;
use std::collections::HashMap;
use std::ffi::CStr;
use std::os::raw::c_char;
use std::ptr::NonNull;
use std::sync::Arc;

/// Options for reading samples.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadOptions {
    /// In the order of the file, not of time.
    pub file_order: bool,
    /// After damage, continue at the next place that looks like records.
    pub salvage: bool,
}

impl ReadOptions {
    pub(crate) fn flags(self) -> u32 {
        (if self.file_order { sys::EVNAME_SAMPLES_FILE_ORDER } else { 0 })
            | (if self.salvage { sys::EVNAME_SAMPLES_SALVAGE } else { 0 })
    }
}

/// A pass over the samples of a recording: an iterator. After a failure it ends.
#[derive(Debug)]
pub struct Samples {
    handle: NonNull<sys::evname_samples>,
    texts: HashMap<*const c_char, Arc<str>>,
    frames: Option<Frames>,
}

// SAFETY: evname.h: by one thread at a time, and the keys of `texts` are only compared.
unsafe impl Send for Samples {}

/// A sample. Numbers that its event does not sample are `None`, lists are empty.
#[derive(Clone, Debug)]
pub struct Sample {
    fields: sys::evname_sample,
    comm: Arc<str>,
    cgroup_path: Arc<str>,
    raw: Vec<u8>,
    lists: Lists,
}

// SAFETY: the pointers in `fields` are never used.
unsafe impl Send for Sample {}
unsafe impl Sync for Sample {}

/// The numbers that a pass has counted so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tally {
    /// Samples read.
    pub samples: u64,
    /// Samples of no event of the file: skipped.
    pub unknown_ids: u64,
    /// Samples shorter than their event requires: skipped.
    pub malformed: u64,
    /// Samples that the recorder reported as lost.
    pub lost: u64,
}

macro_rules! always {
    ($($(#[$doc:meta])* $name:ident: $kind:ty;)*) => {
        impl Sample {
            $($(#[$doc])* pub fn $name(&self) -> $kind {
                self.fields.$name
            })*
        }
    };
}

macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident: $kind:ty, $bit:ident;)*) => {
        impl Sample {
            $($(#[$doc])* pub fn $name(&self) -> Option<$kind> {
                (self.fields.fields & u64::from(sys::$bit) != 0).then(|| self.fields.$name)
            })*
        }
    };
}

macro_rules! lists {
    ($($(#[$doc:meta])* $name:ident, $count:ident;)*) => {
        #[derive(Clone, Debug)]
        struct Lists {
            $($name: Vec<u64>,)*
        }

        impl Lists {
            // SAFETY: the lists of `from` are still valid.
            unsafe fn of(from: &sys::evname_sample) -> Lists {
                Lists { $($name: copied(from.$name, from.$count),)* }
            }
        }

        impl Sample {
            $($(#[$doc])* pub fn $name(&self) -> &[u64] {
                &self.lists.$name
            })*
        }
    };
}

// recordings.h: fields
always! {
    /// Mode of the CPU, as PERF_RECORD_MISC_* bits of the record header.
    misc: u32;
    /// How many of the events it stands for; the event's if the sample has none.
    period: u64;
}

numbers! {
    /// Process.
    pid: i32, EVNAME_SAMPLE_PID;
    /// Thread.
    tid: i32, EVNAME_SAMPLE_TID;
    /// CPU.
    cpu: u32, EVNAME_SAMPLE_CPU;
    /// Time by the recording's clock, in ns.
    time: u64, EVNAME_SAMPLE_TIME;
    /// Flags of a transaction's abort, as PERF_TXN_* bits.
    transaction: u64, EVNAME_SAMPLE_TRANSACTION;
    /// The kernel's id of the event.
    id: u64, EVNAME_SAMPLE_ID;
    /// Address that the event is about.
    addr: u64, EVNAME_SAMPLE_ADDR;
    /// Where data came from, as union perf_mem_data_src.
    data_src: u64, EVNAME_SAMPLE_DATA_SRC;
    /// Cost: mostly a latency in cycles.
    weight: u64, EVNAME_SAMPLE_WEIGHT;
    /// Latency of the instruction, in cycles.
    ins_lat: u32, EVNAME_SAMPLE_INS_LAT;
    /// Cycles until it retired.
    retire_lat: u32, EVNAME_SAMPLE_RETIRE_LAT;
    /// Id of the cgroup.
    cgroup: u64, EVNAME_SAMPLE_CGROUP;
    /// Address of the instruction.
    ip: u64, EVNAME_SAMPLE_IP;
    /// Physical address.
    phys_addr: u64, EVNAME_SAMPLE_PHYS_ADDR;
    /// Page size of the data, in bytes.
    data_page_size: u64, EVNAME_SAMPLE_DATA_PAGE_SIZE;
    /// Page size of the code, in bytes.
    code_page_size: u64, EVNAME_SAMPLE_CODE_PAGE_SIZE;
}

lists! {
    /// Return addresses, leaf first, with perf's context markers (from UINT64_MAX - 4094 on).
    callchain, callchain_count;
    /// From, to and flags of each branch, newest first.
    branches, branches_count;
    /// Counts of the group's events in each branch, by the PMU's caps branch_counter_*.
    branch_counters, branch_counters_count;
    /// Registers of user space, lowest bit of the event's mask first.
    user_registers, user_registers_count;
    /// Registers at the interrupt, lowest bit of the event's mask first.
    interrupt_registers, interrupt_registers_count;
}
// recordings.h: end

impl Sample {
    /// Returns the index of its event in [`Recording::events`](crate::Recording::events).
    pub fn event(&self) -> usize {
        self.fields.event as usize
    }

    /// Returns the name of the thread at that time, ":TID" if unknown, empty if threads are not sampled.
    pub fn comm(&self) -> &str {
        &self.comm
    }

    /// Returns the path of the cgroup; empty if unknown.
    pub fn cgroup_path(&self) -> &str {
        &self.cgroup_path
    }

    /// Returns raw data, such as the fields of a tracepoint.
    pub fn raw(&self) -> &[u8] {
        &self.raw
    }
}

/// Copies an array of the library.
pub(crate) unsafe fn copied<T: Copy>(from: *const T, count: usize) -> Vec<T> {
    match count {
        0 => Vec::new(),
        _ => std::slice::from_raw_parts(from, count).to_vec(),
    }
}

impl Samples {
    pub(crate) fn of(handle: NonNull<sys::evname_samples>) -> Samples {
        Samples { handle, texts: HashMap::new(), frames: None }
    }

    /// Returns descriptions of the faults of the records. All are there only at the end of the pass.
    pub fn warnings(&self) -> Vec<String> {
        texts(|index| unsafe { sys::evname_samples_warning(self.handle.as_ptr(), index) })
    }

    /// Returns the numbers that the pass has counted so far.
    pub fn tally(&self) -> crate::Result<Tally> {
        let mut tally = sys::evname_tally::default();
        match unsafe { sys::evname_samples_tally(self.handle.as_ptr(), &mut tally) } {
            0 => Ok(Tally {
                samples: tally.samples,
                unknown_ids: tally.unknown_ids,
                malformed: tally.malformed,
                lost: tally.lost,
            }),
            status => Err(Error::of_status(status)),
        }
    }

    /// Returns the functions of the stack of the last sample, innermost first, with those inlined.
    /// Empty if the sample has no address.
    pub fn stack(&mut self, symbols: &Symbols) -> crate::Result<Vec<Frame>> {
        if self.frames.is_none() {
            self.frames = Some(Frames::new()?);
        }
        let (samples, frames) = (self.handle.as_ptr(), self.frames.as_ref().unwrap());
        call(|error| unsafe {
            sys::evname_samples_stack(samples, symbols.handle.as_ptr(), frames.as_ptr(), error)
        })?;
        Ok(frames.list())
    }

    /// Returns the mapping that has an address of the last sample; `None` if nothing is known to be mapped there.
    pub fn mapping(&mut self, address: u64, kernel: bool) -> crate::Result<Option<Mapping>> {
        let mut mapping = sys::evname_mapping::default();
        let found = call(|error| unsafe {
            sys::evname_samples_mapping(self.handle.as_ptr(), address, kernel.into(), &mut mapping, error)
        });
        match found {
            // SAFETY: it is valid until the next call.
            Ok(()) => Ok(Some(unsafe { Mapping::of(&mapping) })),
            Err(error) if error.kind == crate::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(crate) fn as_ptr(&mut self) -> *mut sys::evname_samples {
        self.handle.as_ptr()
    }

    /// Copies the sample that the library has returned last.
    pub(crate) fn copy_of(&mut self, fields: sys::evname_sample) -> Sample {
        // SAFETY: lists and raw bytes are valid until the next call.
        let (lists, raw) = unsafe { (Lists::of(&fields), copied(fields.raw.cast(), fields.raw_size)) };
        let (comm, cgroup_path) = (self.text_at(fields.comm), self.text_at(fields.cgroup_path));
        Sample { fields, comm, cgroup_path, raw, lists }
    }

    // The library keeps each text where it is as long as the pass, so that it is copied once.
    fn text_at(&mut self, place: *const c_char) -> Arc<str> {
        let found = self.texts.entry(place);
        found.or_insert_with(|| unsafe { CStr::from_ptr(place) }.to_string_lossy().into()).clone()
    }
}

impl Iterator for Samples {
    type Item = crate::Result<Sample>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut fields = sys::evname_sample::default();
        match unsafe { sys::evname_samples_next(self.handle.as_ptr(), &mut fields) } {
            1 => {}
            0 => return None,
            failure => return Some(Err(Error::of_status(-failure))),
        }
        Some(Ok(self.copy_of(fields)))
    }
}

impl Drop for Samples {
    fn drop(&mut self) {
        // SAFETY: it is ours, and nobody has it any more.
        unsafe { sys::evname_samples_free(self.handle.as_ptr()) }
    }
}
