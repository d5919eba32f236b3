//! evname.h from Rust. Argument: a recording (tests/data/neoverse-n1.data).

use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::ptr::{null, null_mut};

#[repr(C)]
struct Attr {
    pmu: *const c_char,
    config: [u64; 5],
    kind: u32,
    has_type: u32,
    period: u64,
    bp_type: u32,
    flags: u32,
    precise_ip: u32,
    leader: u32,
    reserved: [u64; 4],
}

#[repr(C)]
struct Sample {
    event: u64,
    period: u64,
    fields: u64,
    words: [u64; 11],
    comm: *const c_char,
    callchain: *const u64,
    callchain_count: usize,
    pid: i32,
    tid: i32,
    cpu: u32,
    misc: u32,
    reserved: [u64; 8],
}

#[repr(C)]
struct Error {
    status: i32,
    padding: u32,
    offset: u64,
    message: [c_char; 320],
    place: [c_char; 256],
    hint: [c_char; 256],
}

#[link(name = "evname")]
extern "C" {
    fn evname_machine_named(cpu: *const c_char, sysfs: *const c_char, out: *mut *mut c_void,
                            error: *mut Error) -> c_int;
    fn evname_machine_free(machine: *mut c_void);
    fn evname_resolve(machine: *const c_void, text: *const c_char, out: *mut Attr, room: usize,
                      count: *mut usize, error: *mut Error) -> c_int;
    fn evname_recording_open(path: *const c_char, out: *mut *mut c_void, error: *mut Error) -> c_int;
    fn evname_recording_free(recording: *mut c_void);
    fn evname_samples_open(recording: *const c_void, flags: u32, out: *mut *mut c_void,
                           error: *mut Error) -> c_int;
    fn evname_samples_next(samples: *mut c_void, out: *mut Sample) -> c_int;
    fn evname_samples_free(samples: *mut c_void);
}

struct Machine(*mut c_void);

impl Machine {
    fn named(cpu: &str) -> Machine {
        let (name, mut handle) = (CString::new(cpu).unwrap(), null_mut());
        assert_eq!(unsafe { evname_machine_named(name.as_ptr(), null(), &mut handle, null_mut()) }, 0);
        Machine(handle)
    }

    fn resolve(&self, text: &str) -> Result<Attr, String> {
        let text = CString::new(text).unwrap();
        let mut count = 0;
        unsafe {
            let (mut attr, mut error): (Attr, Error) = (std::mem::zeroed(), std::mem::zeroed());
            match evname_resolve(self.0, text.as_ptr(), &mut attr, 1, &mut count, &mut error) {
                0 => Ok(attr),
                _ => Err(CStr::from_ptr(error.message.as_ptr()).to_str().unwrap().to_owned()),
            }
        }
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        unsafe { evname_machine_free(self.0) }
    }
}

fn count_samples(path: &str, comm: &str) -> (usize, usize) {
    let path = CString::new(path).unwrap();
    let (mut recording, mut samples, mut all, mut of_comm) = (null_mut(), null_mut(), 0, 0);
    unsafe {
        let mut sample: Sample = std::mem::zeroed();
        assert_eq!(evname_recording_open(path.as_ptr(), &mut recording, null_mut()), 0);
        assert_eq!(evname_samples_open(recording, 0, &mut samples, null_mut()), 0);
        evname_recording_free(recording);
        while evname_samples_next(samples, &mut sample) == 1 {
            all += 1;
            of_comm += (CStr::from_ptr(sample.comm).to_str() == Ok(comm)) as usize;
        }
        evname_samples_free(samples);
    }
    (all, of_comm)
}

fn main() {
    let machine = Machine::named("skylakex");
    // Intel SDM, volume 3: D1H/20H.
    let attr = machine.resolve("mem_load_retired.l3_miss").unwrap();
    assert_eq!((attr.kind, attr.config, attr.period), (4, [0x20d1, 0, 0, 0, 0], 100007));
    assert_eq!(unsafe { CStr::from_ptr(attr.pmu) }.to_str(), Ok("cpu"));
    let message = machine.resolve("no_such_event").err().unwrap();
    assert_eq!(message, "no event 'no_such_event' on skylakex");
    // tests/data/neoverse-n1.script: lines, and those of md5sum.
    let recording = std::env::args().nth(1).unwrap();
    assert_eq!(count_samples(&recording, "md5sum"), (374, 321));
}
