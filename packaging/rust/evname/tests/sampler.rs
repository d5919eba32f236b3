//! Live samples: page faults, one sample each.

use evname::{
    CallChains, ErrorKind, Machine, ReadOptions, SampledEvents, Sampler, SamplerOptions, SymbolOptions,
    Symbols, Target,
};
use std::collections::BTreeSet;
use std::time::Duration;

const PAGES: usize = 64;
const PAGE: usize = 4096;

/// Large enough to be mapped anew each time: an allocator may hand out again, with their pages, the
/// smaller areas that another test gave back.
const MAPPED: usize = 64 << 20;

/// Writes to pages that are new.
fn touch() -> usize {
    let mut pages = vec![0u8; MAPPED];
    for at in (0..PAGES * PAGE * 16).step_by(PAGE) {
        unsafe { std::ptr::write_volatile(&mut pages[at], 1) }
    }
    pages.len()
}

fn faults() -> SampledEvents<'static> {
    SampledEvents { events: "page-faults:u", period: 1, fields: "addr", ..Default::default() }
}

/// `None` if this machine permits no samples.
fn open(events: &[SampledEvents], target: Target, options: SamplerOptions) -> Option<Sampler> {
    let machine = Machine::live().unwrap();
    match Sampler::open(&machine, events, &target, options) {
        Err(error) if error.kind == ErrorKind::Io => {
            eprintln!("skipped: {error}");
            None
        }
        opened => Some(opened.unwrap()),
    }
}

#[test]
fn samples_come_while_the_program_runs() {
    let mut sampler = match open(&[faults()], Target::ThisThread, SamplerOptions::default()) {
        Some(sampler) => sampler,
        None => return,
    };
    let mut samples = sampler.samples().unwrap();
    let symbols = Symbols::new(&SymbolOptions::default()).unwrap();
    sampler.enable().unwrap();
    for _ in 0..2 {
        touch();
        assert!(sampler.wait(Duration::ZERO).unwrap());
        let (mut pages, mut last) = (BTreeSet::new(), 0);
        while let Some(sample) = samples.next() {
            let sample = sample.unwrap();
            assert_eq!(sample.pid(), Some(std::process::id() as i32));
            assert!(sample.time().unwrap() >= last);
            last = sample.time().unwrap();
            pages.insert(sample.addr().unwrap() / PAGE as u64);
            assert!(!samples.stack(&symbols).unwrap().is_empty());
        }
        assert!(!pages.is_empty());
    }
    sampler.disable().unwrap();
    assert_eq!(sampler.recording().unwrap().events()[0].name, "page-faults");
    assert_eq!(sampler.losses().unwrap().damaged, 0);
    drop(sampler);
    samples.next(); // they keep it open
}

#[test]
fn kept_samples_are_a_recording() {
    let options = SamplerOptions { keep: 1 << 20, ..Default::default() };
    let clock = SampledEvents {
        events: "task-clock:u",
        period: 100_000,
        chains: CallChains::FramePointers,
        ..Default::default()
    };
    let ids = [std::process::id() as i32];
    let mut sampler = match open(&[faults(), clock], Target::Processes(&ids), options) {
        Some(sampler) => sampler,
        None => return,
    };
    sampler.enable().unwrap();
    for _ in 0..20 {
        touch();
    }
    sampler.disable().unwrap();
    let mut samples = sampler.samples().unwrap();
    let (mut count, mut with_callers) = (0, 0);
    for sample in &mut samples {
        let sample = sample.unwrap();
        assert_eq!(sample.addr().is_some(), sample.event() == 0);
        count += 1;
        with_callers += usize::from(!sample.callchain().is_empty());
    }
    assert!(with_callers > 0 && with_callers < count);
    let taken = sampler.take_recording().unwrap();
    assert_eq!(taken.samples(ReadOptions::default()).unwrap().count(), count);
}

#[test]
fn what_can_not_be() {
    let machine = Machine::live().unwrap();
    let wrong = SampledEvents { fields: "adr", ..faults() };
    let error =
        Sampler::open(&machine, &[wrong], &Target::ThisThread, SamplerOptions::default()).unwrap_err();
    assert_eq!(
        (error.kind, error.message.as_str()),
        (ErrorKind::InvalidArgument, "samples have no field 'adr'")
    );
    assert_eq!(error.hint, "did you mean addr?");
}

#[test]
fn the_example_finds_its_own_function() {
    if open(&[faults()], Target::ThisThread, SamplerOptions::default()).is_none() {
        return;
    }
    let example = std::env::current_exe().unwrap().ancestors().nth(2).unwrap().join("examples/sample");
    let done = std::process::Command::new(example).arg("cpu-clock:u").output().unwrap();
    let printed = String::from_utf8_lossy(&done.stdout);
    assert!(printed.contains("sample::work"), "{printed}");
}
