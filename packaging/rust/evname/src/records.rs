use crate::error::{text, Error};
use crate::samples::{copied, Sample, Samples};
use evname_sys as sys;

/// A record of any type. Fields that its type does not have are `None`. `time`, `id`, `pid`, `tid` and `cpu` are where
/// and when the kernel wrote it; `own_pid` and the others are what it is about.
#[derive(Clone, Debug)]
pub struct Record {
    fields: sys::evname_record,
    bytes: Bytes,
    words: Words,
    sample: Option<Sample>,
}

// SAFETY: the pointers in `fields` are never used.
unsafe impl Send for Record {}
unsafe impl Sync for Record {}

macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident: $kind:ty, $bit:ident;)*) => {
        impl Record {
            $($(#[$doc])* pub fn $name(&self) -> Option<$kind> {
                self.has(sys::$bit).then(|| self.fields.$name)
            })*
        }
    };
}

macro_rules! facts {
    ($($(#[$doc:meta])* $name:ident, $bit:ident;)*) => {
        impl Record {
            $($(#[$doc])* pub fn $name(&self) -> Option<bool> {
                self.has(sys::$bit).then(|| self.fields.$name != 0)
            })*
        }
    };
}

/// A copy of the library's bytes.
trait Owned {
    fn of(bytes: &[u8]) -> Self;
}

impl Owned for Vec<u8> {
    fn of(bytes: &[u8]) -> Vec<u8> {
        bytes.to_vec()
    }
}

/// A text; bytes that are no UTF-8 become U+FFFD.
impl Owned for String {
    fn of(bytes: &[u8]) -> String {
        String::from_utf8_lossy(bytes).into_owned()
    }
}

macro_rules! bytes {
    ($($(#[$doc:meta])* $name:ident: $kind:ty => $shown:ty, $size:ident, $bit:ident;)*) => {
        #[derive(Clone, Debug)]
        struct Bytes {
            $($name: $kind,)*
        }

        impl Bytes {
            // SAFETY: the bytes of `from` are still valid.
            unsafe fn of(from: &sys::evname_record) -> Bytes {
                Bytes { $($name: Owned::of(&copied(from.$name.cast::<u8>(), from.$size)),)* }
            }
        }

        impl Record {
            $($(#[$doc])* pub fn $name(&self) -> Option<&$shown> {
                self.has(sys::$bit).then(|| &*self.bytes.$name)
            })*
        }
    };
}

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident, $count:ident, $bit:ident;)*) => {
        #[derive(Clone, Debug)]
        struct Words {
            $($name: Vec<u64>,)*
        }

        impl Words {
            // SAFETY: the lists of `from` are still valid.
            unsafe fn of(from: &sys::evname_record) -> Words {
                Words { $($name: copied(from.$name, from.$count),)* }
            }
        }

        impl Record {
            $($(#[$doc])* pub fn $name(&self) -> Option<&[u64]> {
                self.has(sys::$bit).then(|| &*self.words.$name)
            })*
        }
    };
}

// record_fields.def: fields
numbers! {
    /// Time by the recording's clock, in ns.
    time: u64, EVNAME_RECORD_BIT_TIME;
    /// The kernel's id of the event.
    id: u64, EVNAME_RECORD_BIT_ID;
    /// Process that it was written in.
    pid: i32, EVNAME_RECORD_BIT_PID;
    /// Thread that it was written in.
    tid: i32, EVNAME_RECORD_BIT_TID;
    /// CPU that it was written on.
    cpu: u32, EVNAME_RECORD_BIT_CPU;
    /// AUXTRACE, AUXTRACE_ERROR: the traced CPU; -1: none.
    own_cpu: i32, EVNAME_RECORD_BIT_OWN_CPU;
    /// Process that it is about.
    own_pid: i32, EVNAME_RECORD_BIT_OWN_PID;
    /// Thread that it is about.
    own_tid: i32, EVNAME_RECORD_BIT_OWN_TID;
    /// FORK, EXIT: the parent; SWITCH_CPU_WIDE: the one before or next.
    other_pid: i32, EVNAME_RECORD_BIT_OTHER_PID;
    /// The same of the thread.
    other_tid: i32, EVNAME_RECORD_BIT_OTHER_TID;
    /// FORK, EXIT, THROTTLE, AUXTRACE_ERROR: time in ns; 0: unknown.
    own_time: u64, EVNAME_RECORD_BIT_OWN_TIME;
    /// LOST, THROTTLE: id of the event; CGROUP, BPF_EVENT: of the cgroup or program.
    own_id: u64, EVNAME_RECORD_BIT_OWN_ID;
    /// THROTTLE: of the counter.
    stream_id: u64, EVNAME_RECORD_BIT_STREAM_ID;
    /// Address of the mapping, the function, the code or the instruction.
    address: u64, EVNAME_RECORD_BIT_ADDRESS;
    /// Bytes of the mapping, the function, or the data of a trace.
    size: u64, EVNAME_RECORD_BIT_SIZE;
    /// In the file of the mapping, or in the trace.
    offset: u64, EVNAME_RECORD_BIT_OFFSET;
    /// MMAP2 without a build id: inode of the file.
    inode: u64, EVNAME_RECORD_BIT_INODE;
    /// MMAP2 without a build id: generation of the inode.
    generation: u64, EVNAME_RECORD_BIT_GENERATION;
    /// MMAP2 without a build id: device of the file.
    device_major: u32, EVNAME_RECORD_BIT_DEVICE_MAJOR;
    /// The same.
    device_minor: u32, EVNAME_RECORD_BIT_DEVICE_MINOR;
    /// MMAP, MMAP2: PROT_* of mmap().
    protection: u32, EVNAME_RECORD_BIT_PROTECTION;
    /// KSYMBOL, BPF_EVENT, AUXTRACE_INFO, AUXTRACE_ERROR: their kind.
    kind: u32, EVNAME_RECORD_BIT_KIND;
    /// MMAP2: MAP_* of mmap(); AUX, KSYMBOL, BPF_EVENT: as recorded.
    flags: u64, EVNAME_RECORD_BIT_FLAGS;
    /// LOST, LOST_SAMPLES: number of records or samples.
    lost: u64, EVNAME_RECORD_BIT_LOST;
    /// BPF_EVENT: tag of the program.
    tag: u64, EVNAME_RECORD_BIT_TAG;
    /// AUX_OUTPUT_HW_ID: the hardware's number of the event.
    hw_id: u64, EVNAME_RECORD_BIT_HW_ID;
    /// CALLCHAIN_DEFERRED: the word that the sample has for it.
    cookie: u64, EVNAME_RECORD_BIT_COOKIE;
    /// AUXTRACE: the same for pieces that were written at once.
    reference: u64, EVNAME_RECORD_BIT_REFERENCE;
    /// AUXTRACE: index of the buffer.
    index: u32, EVNAME_RECORD_BIT_INDEX;
    /// AUXTRACE_ERROR: code of the decoder.
    code: u32, EVNAME_RECORD_BIT_CODE;
}

facts! {
    /// MMAP, MMAP2: mapped without PROT_EXEC.
    is_data, EVNAME_RECORD_BIT_IS_DATA;
    /// COMM: named by exec(); FORK: an exec() follows.
    is_exec, EVNAME_RECORD_BIT_IS_EXEC;
    /// SWITCH: the thread stopped running.
    is_out, EVNAME_RECORD_BIT_IS_OUT;
    /// SWITCH: it could have gone on.
    is_preempted, EVNAME_RECORD_BIT_IS_PREEMPTED;
    /// KSYMBOL: the function was removed.
    is_gone, EVNAME_RECORD_BIT_IS_GONE;
    /// LOST_SAMPLES: a BPF program left them out on purpose.
    by_bpf, EVNAME_RECORD_BIT_BY_BPF;
}

bytes! {
    /// Name of the file, thread, function or cgroup; message.
    name: String => str, name_size, EVNAME_RECORD_BIT_NAME;
    /// MMAP2, BUILD_ID: of the file.
    build_id: Vec<u8> => [u8], build_id_size, EVNAME_RECORD_BIT_BUILD_ID;
    /// TEXT_POKE: the code before.
    old_bytes: Vec<u8> => [u8], old_bytes_size, EVNAME_RECORD_BIT_OLD_BYTES;
    /// TEXT_POKE: the code after.
    new_bytes: Vec<u8> => [u8], new_bytes_size, EVNAME_RECORD_BIT_NEW_BYTES;
    /// AUXTRACE: the data; of other types, all that follows the header.
    bytes: Vec<u8> => [u8], bytes_size, EVNAME_RECORD_BIT_BYTES;
}

words! {
    /// NAMESPACES: device and inode of each; READ: values; AUXTRACE_INFO, CALLCHAIN_DEFERRED: words.
    words, words_count, EVNAME_RECORD_BIT_WORDS;
}
// record_fields.def: end

impl Record {
    fn has(&self, bit: sys::evname_record_fields) -> bool {
        self.fields.fields >> bit & 1 != 0
    }

    /// Returns PERF_RECORD_*: 9 is a sample.
    pub fn type_number(&self) -> u32 {
        self.fields.type_
    }

    /// Returns the type as perf names it: "MMAP2"; "UNKNOWN" for others.
    pub fn type_name(&self) -> String {
        // SAFETY: the text is static, for any number.
        unsafe { text(sys::evname_record_name(self.fields.type_)) }
    }

    /// Returns PERF_RECORD_MISC_*.
    pub fn misc(&self) -> u32 {
        self.fields.misc
    }

    /// Returns the offset in the file or in unpacked records.
    pub fn place(&self) -> u64 {
        self.fields.place
    }

    /// Returns the index of its event in [`Recording::events`](crate::Recording::events).
    pub fn event(&self) -> Option<usize> {
        (self.fields.event != u64::MAX).then(|| self.fields.event as usize)
    }

    /// Returns the sample; `None` if it is another record.
    pub fn sample(&self) -> Option<&Sample> {
        self.sample.as_ref()
    }
}

impl Samples {
    /// Returns the next record, whether it is a sample or not; the iterator skips those that are not. Records come in
    /// the same order as samples, but records without a time come as they are read. `None` at the end; after a failure
    /// the pass ends. For all: `std::iter::from_fn(|| samples.next_record())`.
    pub fn next_record(&mut self) -> Option<crate::Result<Record>> {
        let mut fields = sys::evname_record::default();
        match unsafe { sys::evname_records_next(self.as_ptr(), &mut fields) } {
            1 => {}
            0 => return None,
            failure => return Some(Err(Error::of_status(-failure))),
        }
        // SAFETY: bytes, words and the sample are valid until the next call.
        let (bytes, words) = unsafe { (Bytes::of(&fields), Words::of(&fields)) };
        let sample = unsafe { fields.sample.as_ref() }.map(|sample| self.copy_of(*sample));
        Some(Ok(Record { fields, bytes, words, sample }))
    }
}
