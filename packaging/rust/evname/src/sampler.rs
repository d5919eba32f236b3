use crate::error::{c_text, call, texts, Error};
use crate::{MachineRef, Recording, Samples};
use evname_sys as sys;
use std::any::Any;
use std::ffi::CString;
use std::fmt;
use std::os::raw::{c_int, c_void};
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::ptr::{null, null_mut, NonNull};
use std::time::Duration;

/// Open events that are sampled while the program runs.
#[derive(Debug)]
pub struct Sampler {
    handle: NonNull<sys::evname_sampler>,
    /// Between start and stop it is the thread's.
    reader: Option<NonNull<Reader>>,
}

/// The samples that a thread reads, the function that reads them, and the panic that ended it.
struct Reader {
    samples: Samples,
    read: Box<dyn FnMut(&mut Samples) + Send>,
    panic: Option<Box<dyn Any + Send>>,
}

/// The way to find the callers of a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallChains {
    /// There are none.
    #[default]
    None,
    /// The kernel follows frame pointers.
    FramePointers,
    /// By unwind tables, from a copy of the stack.
    StackCopies,
    /// The CPU's own record of calls (LBR).
    BranchRecords,
}

/// Events that are sampled alike.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SampledEvents<'a> {
    /// A list in the syntax of `perf -e`.
    pub events: &'a str,
    /// A sample for each so many events; 0: by `frequency`.
    pub period: u64,
    /// Samples a second; 0: as the event suggests, else 4,000.
    pub frequency: u64,
    /// Names of fields of [`Sample`](crate::Sample) beside ip, pid, tid and time: "cpu,addr".
    pub fields: &'a str,
    pub chains: CallChains,
    /// Bytes of each copy of a stack, a multiple of 8; 0: 8,192.
    pub stack_size: u32,
}

/// The processes, CPUs or cgroups to sample or count in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Target<'a> {
    /// The thread that opens the sampler or the counters.
    #[default]
    ThisThread,
    Threads(&'a [i32]),
    /// All threads of these processes, as they are then.
    Processes(&'a [i32]),
    /// All that runs on these CPUs; none: on all that are online.
    Cpus(&'a [u32]),
    /// What runs in a cgroup: an absolute path, or one below the mount point of cgroups.
    Cgroup(&'a str),
}

/// Options of a sampler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SamplerOptions {
    /// Also the threads and processes that are made later.
    pub inherit: bool,
    /// Follow mappings that are not executable, too.
    pub data_mappings: bool,
    /// Make the thread for [`Sampler::start`].
    pub thread: bool,
    /// Fail if the kernel may not be sampled, instead of sampling only user space.
    pub kernel_too: bool,
    /// Pages of each buffer, a power of 2; 0: 512 KiB, or what is permitted.
    pub buffer_pages: u32,
    /// Pages of each area for a trace (`arm_spe_0//`), a power of 2; 0: 4 MiB for root, else 128 KiB.
    pub trace_pages: u32,
    /// Bytes of records to keep for [`Sampler::take_recording`].
    pub keep: u64,
}

/// The losses of a sampler so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Losses {
    /// Samples, and pieces of a trace, that found no room in a buffer.
    pub lost: u64,
    /// Times that the rest of a buffer made no sense and was left out.
    pub damaged: u64,
    /// Records beyond [`SamplerOptions::keep`].
    pub not_kept: u64,
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.samples.fmt(f)
    }
}

extern "C" fn read_in_thread(context: *mut c_void) -> c_int {
    // SAFETY: it lives until the thread is stopped, and is for the thread alone.
    let reader = unsafe { &mut *context.cast::<Reader>() };
    match catch_unwind(AssertUnwindSafe(|| (reader.read)(&mut reader.samples))) {
        Ok(()) => 0,
        Err(panic) => {
            reader.panic = Some(panic);
            1
        }
    }
}

fn milliseconds_of(time: Duration) -> u32 {
    time.as_millis().min(i32::MAX as u128) as u32
}

fn internal() -> Error {
    Error::of_status(sys::EVNAME_INTERNAL as i32)
}

impl Sampler {
    /// Opens events of this machine. Nothing is sampled until they are enabled.
    pub fn open(
        machine: &MachineRef,
        events: &[SampledEvents<'_>],
        target: &Target<'_>,
        options: SamplerOptions,
    ) -> crate::Result<Sampler> {
        let texts: Vec<(CString, CString)> = events
            .iter()
            .map(|one| Ok((c_text(one.events)?, c_text(one.fields)?)))
            .collect::<crate::Result<_>>()?;
        let lists: Vec<_> = events
            .iter()
            .zip(&texts)
            .map(|(one, (names, fields))| sys::evname_sampled_events {
                events: names.as_ptr(),
                period: one.period,
                frequency: one.frequency,
                fields: fields.as_ptr(),
                chains: one.chains as u32,
                stack_size: one.stack_size,
                ..Default::default()
            })
            .collect();
        let cgroup = cgroup_of(target)?;
        let target = c_target(target, cgroup.as_ref());
        let flag = |set: bool, flag: u32| if set { flag } else { 0 };
        let options = sys::evname_sampler_options {
            flags: flag(options.inherit, sys::EVNAME_SAMPLER_INHERIT)
                | flag(options.data_mappings, sys::EVNAME_SAMPLER_DATA_MAPPINGS)
                | flag(options.thread, sys::EVNAME_SAMPLER_THREAD)
                | flag(options.kernel_too, sys::EVNAME_SAMPLER_KERNEL_TOO),
            buffer_pages: options.buffer_pages,
            trace_pages: options.trace_pages,
            keep: options.keep,
            ..Default::default()
        };
        let mut sampler = null_mut();
        call(|error| unsafe {
            sys::evname_sampler_open(
                machine.as_ptr(),
                lists.as_ptr(),
                lists.len(),
                &target,
                &options,
                &mut sampler,
                error,
            )
        })?;
        Ok(Sampler { handle: NonNull::new(sampler).ok_or_else(internal)?, reader: None })
    }

    /// Returns sentences on what the kernel refused and what is sampled instead.
    pub fn warnings(&self) -> Vec<String> {
        texts(|index| unsafe { sys::evname_sampler_warning(self.handle.as_ptr(), index) })
    }

    /// Starts all events.
    pub fn enable(&mut self) -> crate::Result<()> {
        call(|error| unsafe { sys::evname_sampler_enable(self.handle.as_ptr(), error) })
    }

    /// Stops them. The samples up to here can still be read.
    pub fn disable(&mut self) -> crate::Result<()> {
        call(|error| unsafe { sys::evname_sampler_disable(self.handle.as_ptr(), error) })
    }

    /// Waits until a buffer is half full, a sampled thread ends or the time is over. Returns false if no thread is left.
    pub fn wait(&mut self, time: Duration) -> crate::Result<bool> {
        let mut alive = 0;
        call(|error| unsafe {
            sys::evname_sampler_wait(self.handle.as_ptr(), milliseconds_of(time), &mut alive, error)
        })?;
        Ok(alive != 0)
    }

    /// Returns the samples. The iterator ends after those that are there now, and goes on when it is asked again: take
    /// `for sample in &mut samples`. It may outlive the sampler.
    pub fn samples(&mut self) -> crate::Result<Samples> {
        let mut samples = null_mut();
        call(|error| unsafe { sys::evname_sampler_samples(self.handle.as_ptr(), &mut samples, error) })?;
        NonNull::new(samples).map(Samples::of).ok_or_else(internal)
    }

    /// Lets the thread of the sampler, which is not sampled itself, read the samples: `read` gets them every so often and
    /// when a buffer is half full, until [`stop`](Sampler::stop). Reading them elsewhere fails meanwhile. Needs
    /// [`SamplerOptions::thread`].
    pub fn start(
        &mut self,
        read: impl FnMut(&mut Samples) + Send + 'static,
        every: Duration,
    ) -> crate::Result<()> {
        let reader = Box::new(Reader { samples: self.samples()?, read: Box::new(read), panic: None });
        let reader = NonNull::from(Box::leak(reader));
        let started = call(|error| unsafe {
            sys::evname_sampler_start(
                self.handle.as_ptr(),
                Some(read_in_thread),
                reader.as_ptr().cast(),
                milliseconds_of(every),
                error,
            )
        });
        match started {
            Ok(()) => self.reader = Some(reader),
            // SAFETY: nobody has it.
            Err(_) => drop(unsafe { Box::from_raw(reader.as_ptr()) }),
        }
        started
    }

    /// Waits until the thread has read all samples, and stops it. Goes on with the panic of its reader, if there was
    /// one.
    pub fn stop(&mut self) -> crate::Result<()> {
        let stopped = call(|error| unsafe { sys::evname_sampler_stop(self.handle.as_ptr(), error) });
        match self.take_reader().and_then(|reader| reader.panic) {
            Some(panic) => resume_unwind(panic),
            None => stopped,
        }
    }

    /// Takes the reader back from a thread that was stopped.
    fn take_reader(&mut self) -> Option<Box<Reader>> {
        // SAFETY: it is a box that was leaked, and the thread is at rest.
        self.reader.take().map(|reader| unsafe { Box::from_raw(reader.as_ptr()) })
    }

    pub(crate) fn as_ptr(&mut self) -> *mut sys::evname_sampler {
        self.handle.as_ptr()
    }

    /// Returns a recording without samples that has the events. One is evname's own: the last, or
    /// with a trace the one before the events made from the trace.
    pub fn recording(&self) -> crate::Result<Recording> {
        let mut recording = null_mut();
        call(|error| unsafe { sys::evname_sampler_recording(self.handle.as_ptr(), &mut recording, error) })?;
        NonNull::new(recording).map(Recording::of).ok_or_else(internal)
    }

    /// Returns the samples that were read since the last call as a recording.
    pub fn take_recording(&mut self) -> crate::Result<Recording> {
        let mut recording = null_mut();
        call(|error| unsafe {
            sys::evname_sampler_take_recording(self.handle.as_ptr(), &mut recording, error)
        })?;
        NonNull::new(recording).map(Recording::of).ok_or_else(internal)
    }

    /// Returns what has been missed so far.
    pub fn losses(&self) -> crate::Result<Losses> {
        let mut losses = sys::evname_losses::default();
        match unsafe { sys::evname_sampler_losses(self.handle.as_ptr(), &mut losses) } {
            0 => Ok(Losses { lost: losses.lost, damaged: losses.damaged, not_kept: losses.not_kept }),
            status => Err(Error::of_status(status)),
        }
    }
}

/// Returns the path of a cgroup for the library.
pub(crate) fn cgroup_of(target: &Target<'_>) -> crate::Result<Option<CString>> {
    match target {
        Target::Cgroup(path) => c_text(path).map(Some),
        _ => Ok(None),
    }
}

/// The result points into `target` and `cgroup`, which must outlive it.
pub(crate) fn c_target(target: &Target<'_>, cgroup: Option<&CString>) -> sys::evname_count_target {
    let mut to = sys::evname_count_target {
        cgroup: cgroup.map_or(null(), |path| path.as_ptr()),
        ..Default::default()
    };
    match target {
        Target::ThisThread => to.kind = sys::EVNAME_COUNT_THIS_THREAD,
        Target::Threads(ids) | Target::Processes(ids) => {
            to.ids = ids.as_ptr();
            to.ids_count = ids.len();
            to.kind = match target {
                Target::Threads(_) => sys::EVNAME_COUNT_THREADS,
                _ => sys::EVNAME_COUNT_PROCESSES,
            };
        }
        Target::Cpus(cpus) => {
            to.cpus = cpus.as_ptr();
            to.cpus_count = cpus.len();
            to.kind = sys::EVNAME_COUNT_CPUS;
        }
        Target::Cgroup(_) => to.kind = sys::EVNAME_COUNT_CGROUP,
    }
    to
}

impl Drop for Sampler {
    fn drop(&mut self) {
        // SAFETY: it is ours, and nobody has it any more.
        unsafe { sys::evname_sampler_free(self.handle.as_ptr()) }
        self.take_reader();
    }
}
