use crate::error::{c_path, c_text, call, text, texts, Error, ErrorKind};
use evname_sys as sys;
use std::ops::Deref;
use std::path::Path;
use std::ptr::{null, null_mut, NonNull};

/// A CPU, its event tables and its PMUs, which belongs to a [`Machine`] or a [`Recording`](crate::Recording).
#[repr(transparent)]
pub struct MachineRef(sys::evname_machine);

/// A machine that is not part of a recording.
#[derive(Debug)]
pub struct Machine(NonNull<sys::evname_machine>);

// SAFETY: evname.h: a machine may be used by several threads at once.
unsafe impl Send for Machine {}
unsafe impl Sync for Machine {}
unsafe impl Sync for MachineRef {}

/// The bits that modifiers set: `:u`, `:k`, `:D` and others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modifiers {
    // attr_bits.def: members
    pub exclude_user: bool,
    pub exclude_kernel: bool,
    pub exclude_hv: bool,
    pub exclude_host: bool,
    pub exclude_guest: bool,
    pub exclude_idle: bool,
    pub pinned: bool,
    pub exclusive: bool,
    // attr_bits.def: end
    /// 0 to 3.
    pub precise_ip: u32,
}

/// An encoding is one way to open an event: the members of `perf_event_attr` that it sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoding {
    /// "cpu", "uncore_imc_0"; "hardware", "software", … for generic types.
    pub pmu: String,
    /// `None`: only the live machine knows it.
    pub kind: Option<u32>,
    /// config, config1 to config4.
    pub words: [u64; 5],
    /// Sample period that the event's table suggests; 0: none.
    pub period: u64,
    pub modifiers: Modifiers,
    /// Index, among the encodings of one text, of its group's leader; its own if it leads.
    pub leader: usize,
}

impl Encoding {
    /// `perf_event_attr.config`.
    pub fn config(&self) -> u64 {
        self.words[0]
    }
}

/// All names of a code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    /// Best first; empty if no name has this code.
    pub names: Vec<String>,
    /// To be added to the names: "cmask=0x1"; empty if exact.
    pub qualifiers: String,
    pub pmu: String,
    /// The code as terms, always exact: "event=0xd1,umask=0x20".
    pub terms: String,
    /// True if the names have exactly this code.
    pub exact: bool,
}

/// The CPU of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cpu {
    /// "x86", "arm64", …
    pub arch: String,
    /// Empty if it is unknown.
    pub cpuid: String,
    /// Empty if no table fits.
    pub model: String,
    /// A sentence if the model is a fallback.
    pub note: String,
}

impl Machine {
    /// Returns the machine that this program runs on.
    pub fn live() -> crate::Result<Machine> {
        Machine::open(|out, error| unsafe { sys::evname_machine_open(null(), null(), out, error) })
    }

    /// Returns a machine named by a CPUID string, a model ("skylakex") or a short name ("skx").
    pub fn named(cpu: &str) -> crate::Result<Machine> {
        let cpu = c_text(cpu)?;
        Machine::open(|out, error| unsafe { sys::evname_machine_open(cpu.as_ptr(), null(), out, error) })
    }

    /// Returns this machine with the event files of a directory laid over its tables.
    pub fn with_events(&self, directory: impl AsRef<Path>) -> crate::Result<Machine> {
        let directory = c_path(directory.as_ref())?;
        Machine::open(|out, error| unsafe {
            sys::evname_machine_with_events(self.0.as_ptr(), directory.as_ptr(), out, error)
        })
    }

    fn open(
        function: impl FnOnce(*mut *mut sys::evname_machine, *mut sys::evname_error) -> i32,
    ) -> crate::Result<Machine> {
        let mut machine = null_mut();
        call(|error| function(&mut machine, error))?;
        NonNull::new(machine).map(Machine).ok_or_else(|| Error::of_status(sys::EVNAME_INTERNAL as i32))
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // SAFETY: it is ours, and nobody has it any more.
        unsafe { sys::evname_machine_free(self.0.as_ptr()) }
    }
}

impl Deref for Machine {
    type Target = MachineRef;
    fn deref(&self) -> &MachineRef {
        // SAFETY: it lives as long as self.
        unsafe { MachineRef::of(self.0.as_ptr()) }
    }
}

impl MachineRef {
    /// # Safety
    /// The machine lives for 'a.
    pub(crate) unsafe fn of<'a>(machine: *const sys::evname_machine) -> &'a MachineRef {
        &*machine.cast()
    }

    pub(crate) fn as_ptr(&self) -> *const sys::evname_machine {
        &self.0
    }

    /// Resolves events in the syntax of `perf -e` to one encoding per event and PMU.
    pub fn resolve(&self, events: &str) -> crate::Result<Vec<Encoding>> {
        let events = c_text(events)?;
        let mut attrs = vec![sys::evname_attr::default(); 8];
        loop {
            let mut count = 0;
            call(|error| unsafe {
                sys::evname_resolve(
                    &self.0,
                    events.as_ptr(),
                    attrs.as_mut_ptr(),
                    attrs.len(),
                    &mut count,
                    error,
                )
            })?;
            if count <= attrs.len() {
                attrs.truncate(count);
                return Ok(attrs.iter().map(encoding_of).collect());
            }
            attrs.resize(count, sys::evname_attr::default());
        }
    }

    /// Returns the best name of a code, with its qualifiers: config, or up to five config words. Without a PMU, it is one of
    /// the first core PMU.
    pub fn name(&self, words: &[u64], pmu: Option<&str>) -> crate::Result<String> {
        let (code, pmu) = (code_of(words)?, pmu.map(c_text).transpose()?);
        let on = pmu.as_ref().map_or(null(), |pmu| pmu.as_ptr());
        let size = unsafe { sys::evname_name_of(&self.0, on, &code, null_mut(), 0) };
        let mut name = vec![0_u8; size + 1];
        unsafe { sys::evname_name_of(&self.0, on, &code, name.as_mut_ptr().cast(), name.len()) };
        name.pop();
        Ok(String::from_utf8_lossy(&name).into_owned())
    }

    /// Returns all names of a code, as for [`MachineRef::name`].
    pub fn names(&self, words: &[u64], pmu: Option<&str>) -> crate::Result<Names> {
        let (code, pmu) = (code_of(words)?, pmu.map(c_text).transpose()?);
        let on = pmu.as_ref().map_or(null(), |pmu| pmu.as_ptr());
        let (mut buffer, mut needed) = (Vec::<u8>::new(), 512);
        let mut found = sys::evname_names::default();
        while needed > buffer.len() {
            buffer.resize(needed, 0);
            call(|error| unsafe {
                let room = buffer.as_mut_ptr().cast();
                sys::evname_names_of(
                    &self.0,
                    on,
                    &code,
                    &mut found,
                    room,
                    buffer.len(),
                    &mut needed,
                    error,
                )
            })?;
        }
        // SAFETY: the texts are in `buffer`.
        Ok(unsafe { names_in(&found) })
    }

    /// Returns the CPU.
    pub fn cpu(&self) -> Cpu {
        let mut cpu = sys::evname_cpu::default();
        // SAFETY: the texts live as long as the machine.
        unsafe {
            sys::evname_machine_cpu(&self.0, &mut cpu);
            Cpu { arch: text(cpu.arch), cpuid: text(cpu.cpuid), model: text(cpu.model), note: text(cpu.note) }
        }
    }

    /// Returns descriptions of what was skipped while the machine was read.
    pub fn warnings(&self) -> Vec<String> {
        texts(|index| unsafe { sys::evname_machine_warning(&self.0, index) })
    }
}

fn encoding_of(attr: &sys::evname_attr) -> Encoding {
    let has = |flag| attr.flags & flag != 0;
    Encoding {
        // SAFETY: it lives as long as the machine, which is borrowed.
        pmu: unsafe { text(attr.pmu) },
        kind: (attr.code.has_type != 0).then(|| attr.code.type_),
        words: attr.code.config,
        period: attr.period,
        modifiers: Modifiers {
            // attr_bits.def: values
            exclude_user: has(sys::EVNAME_ATTR_EXCLUDE_USER),
            exclude_kernel: has(sys::EVNAME_ATTR_EXCLUDE_KERNEL),
            exclude_hv: has(sys::EVNAME_ATTR_EXCLUDE_HV),
            exclude_host: has(sys::EVNAME_ATTR_EXCLUDE_HOST),
            exclude_guest: has(sys::EVNAME_ATTR_EXCLUDE_GUEST),
            exclude_idle: has(sys::EVNAME_ATTR_EXCLUDE_IDLE),
            pinned: has(sys::EVNAME_ATTR_PINNED),
            exclusive: has(sys::EVNAME_ATTR_EXCLUSIVE),
            // attr_bits.def: end
            precise_ip: attr.precise_ip,
        },
        leader: attr.leader as usize,
    }
}

fn code_of(words: &[u64]) -> crate::Result<sys::evname_code> {
    let mut code = sys::evname_code::default();
    if words.is_empty() || words.len() > code.config.len() {
        return Err(Error::new(ErrorKind::InvalidArgument, "a code has one to five config words"));
    }
    code.config[..words.len()].copy_from_slice(words);
    Ok(code)
}

unsafe fn names_in(found: &sys::evname_names) -> Names {
    let (mut names, mut at) = (Vec::with_capacity(found.count), found.names);
    for _ in 0..found.count {
        let name = std::ffi::CStr::from_ptr(at);
        at = at.add(name.to_bytes().len() + 1);
        names.push(name.to_string_lossy().into_owned());
    }
    let (qualifiers, pmu, terms) = (text(found.qualifiers), text(found.pmu), text(found.terms));
    Names { names, qualifiers, pmu, terms, exact: found.exact != 0 }
}
