use crate::error::{texts, Error};
use evname_sys as sys;
use std::collections::HashMap;
use std::ffi::CStr;
use std::os::raw::c_char;
use std::ptr::NonNull;
use std::sync::Arc;

/// How to read samples.
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
    comms: HashMap<*const c_char, Arc<str>>,
}

// SAFETY: evname.h: by one thread at a time, and the keys of `comms` are only compared.
unsafe impl Send for Samples {}

/// A sample. What its event does not sample is `None`.
#[derive(Clone, Debug)]
pub struct Sample {
    fields: sys::evname_sample,
    comm: Arc<str>,
    callchain: Vec<u64>,
}

// SAFETY: the pointers in `fields` are never used.
unsafe impl Send for Sample {}
unsafe impl Sync for Sample {}

/// What a pass found so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tally {
    pub samples: u64,
    /// Samples of no event of the file: skipped.
    pub unknown_ids: u64,
    /// Samples shorter than their event requires: skipped.
    pub malformed: u64,
    /// Samples that the recorder reported as lost.
    pub lost: u64,
}

macro_rules! sampled {
    ($($(#[$doc:meta])* $name:ident: $kind:ty, $bit:ident;)*) => {
        impl Sample {
            $($(#[$doc])* pub fn $name(&self) -> Option<$kind> {
                (self.fields.fields & u64::from(sys::$bit) != 0).then(|| self.fields.$name)
            })*
        }
    };
}

sampled! {
    /// Process.
    pid: i32, EVNAME_SAMPLE_TID;
    /// Thread.
    tid: i32, EVNAME_SAMPLE_TID;
    /// CPU it was taken on.
    cpu: u32, EVNAME_SAMPLE_CPU;
    /// Nanoseconds of the recording's clock.
    time: u64, EVNAME_SAMPLE_TIME;
    /// Address of the instruction.
    ip: u64, EVNAME_SAMPLE_IP;
    /// Address that the event is about.
    addr: u64, EVNAME_SAMPLE_ADDR;
    /// The kernel's id of the event.
    id: u64, EVNAME_SAMPLE_ID;
    /// Usually a latency in cycles.
    weight: u64, EVNAME_SAMPLE_WEIGHT;
    /// `union perf_mem_data_src`.
    data_src: u64, EVNAME_SAMPLE_DATA_SRC;
    /// `PERF_TXN_…` bits.
    transaction: u64, EVNAME_SAMPLE_TRANSACTION;
    /// Physical address of the data.
    phys_addr: u64, EVNAME_SAMPLE_PHYS_ADDR;
    /// Id of the cgroup.
    cgroup: u64, EVNAME_SAMPLE_CGROUP;
    /// Bytes.
    data_page_size: u64, EVNAME_SAMPLE_DATA_PAGE_SIZE;
    /// Bytes.
    code_page_size: u64, EVNAME_SAMPLE_CODE_PAGE_SIZE;
}

impl Sample {
    /// Index of its event in [`Recording::events`](crate::Recording::events).
    pub fn event(&self) -> usize {
        self.fields.event as usize
    }

    /// The event's if the sample has none.
    pub fn period(&self) -> u64 {
        self.fields.period
    }

    /// Of the record header.
    pub fn misc(&self) -> u32 {
        self.fields.misc
    }

    /// Name of the thread at that time, ":TID" if unknown, empty if threads are not sampled.
    pub fn comm(&self) -> &str {
        &self.comm
    }

    /// Return addresses, leaf first, with perf's context markers; empty if not sampled.
    pub fn callchain(&self) -> &[u64] {
        &self.callchain
    }
}

impl Samples {
    pub(crate) fn of(handle: NonNull<sys::evname_samples>) -> Samples {
        Samples { handle, comms: HashMap::new() }
    }

    /// What is wrong with the records; complete only at the end.
    pub fn warnings(&self) -> Vec<String> {
        texts(|index| unsafe { sys::evname_samples_warning(self.handle.as_ptr(), index) })
    }

    /// What the pass found so far.
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

    // The library keeps a thread's name where it is as long as the pass, so that its place tells it.
    fn comm_at(&mut self, comm: *const c_char) -> Arc<str> {
        let found = self.comms.entry(comm);
        found.or_insert_with(|| unsafe { CStr::from_ptr(comm) }.to_string_lossy().into()).clone()
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
        let callchain = match fields.callchain_count {
            0 => Vec::new(),
            // SAFETY: it is valid until the next call.
            count => unsafe { std::slice::from_raw_parts(fields.callchain, count) }.to_vec(),
        };
        Some(Ok(Sample { comm: self.comm_at(fields.comm), fields, callchain }))
    }
}

impl Drop for Samples {
    fn drop(&mut self) {
        // SAFETY: it is ours, and nobody has it any more.
        unsafe { sys::evname_samples_free(self.handle.as_ptr()) }
    }
}
