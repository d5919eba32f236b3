//! evname.h from Rust. Argument: a recording (tests/data/neoverse-n1.data).

#[allow(dead_code, non_camel_case_types)]
#[path = "../../packaging/rust/evname-sys/src/bindings.rs"]
mod sys;

use std::ffi::{CStr, CString};
use std::ptr::{null, null_mut};
use sys::*;

#[link(name = "evname")]
extern "C" {}

struct Machine(*mut evname_machine);

impl Machine {
    fn named(cpu: &str) -> Machine {
        let (name, mut handle) = (CString::new(cpu).unwrap(), null_mut());
        assert_eq!(unsafe { evname_machine_open(name.as_ptr(), null(), &mut handle, null_mut()) }, 0);
        Machine(handle)
    }

    fn resolve(&self, text: &str) -> Result<evname_attr, String> {
        let text = CString::new(text).unwrap();
        let mut count = 0;
        unsafe {
            let (mut attr, mut error) = (evname_attr::default(), evname_error::default());
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
        let mut sample = evname_sample::default();
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
    assert_eq!((attr.code.type_, attr.code.config, attr.period), (4, [0x20d1, 0, 0, 0, 0], 100007));
    assert_eq!(unsafe { CStr::from_ptr(attr.pmu) }.to_str(), Ok("cpu"));
    let message = machine.resolve("no_such_event").err().unwrap();
    assert_eq!(message, "no event 'no_such_event' on skylakex");
    // tests/data/neoverse-n1.script: lines, and lines of md5sum.
    let recording = std::env::args().nth(1).unwrap();
    assert_eq!(count_samples(&recording, "md5sum"), (374, 321));
}
