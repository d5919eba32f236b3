//! Beside what perf script printed of the same recordings, and codes of Intel's SDM.

use evname::{ErrorKind, Machine, ReadOptions, Record, Recording, SymbolOptions, Symbols};
use std::collections::BTreeMap;
use std::path::PathBuf;

fn data(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/data")).join(name)
}

/// How often perf script printed each thread's name, and each event's.
fn printed(name: &str) -> (BTreeMap<String, usize>, BTreeMap<String, usize>) {
    let (mut comms, mut events) = (BTreeMap::new(), BTreeMap::new());
    for line in std::fs::read_to_string(data(name)).unwrap().lines() {
        let words: Vec<_> = line.split_whitespace().collect();
        let event = words.iter().rev().find(|word| word.ends_with(':')).unwrap();
        *comms.entry(words[0].to_owned()).or_default() += 1;
        *events.entry(event.trim_end_matches(':').to_owned()).or_default() += 1;
    }
    (comms, events)
}

#[test]
fn samples_are_those_of_perf() {
    for name in ["neoverse-n1", "cortex-a72-system"] {
        let recording = Recording::open(data(&format!("{name}.data"))).unwrap();
        let (mut comms, mut events) = (BTreeMap::new(), BTreeMap::new());
        let mut samples = recording.samples(ReadOptions::default()).unwrap();
        let mut last = 0;
        for sample in &mut samples {
            let sample = sample.unwrap();
            *comms.entry(sample.comm().to_owned()).or_default() += 1;
            *events.entry(recording.events()[sample.event()].recorded_name.clone()).or_default() += 1;
            assert!(sample.time().unwrap() >= last, "{name}: order");
            last = sample.time().unwrap();
        }
        assert_eq!((comms, events), printed(&format!("{name}.script")), "{name}");
        assert_eq!(samples.warnings(), Vec::<String>::new());
    }
}

#[test]
fn fields_that_are_not_sampled_are_none() {
    let recording = Recording::open(data("neoverse-n1.data")).unwrap();
    let first = recording.samples(ReadOptions::default()).unwrap().next().unwrap().unwrap();
    // neoverse-n1.script, first line: sh 149/149 5.774380: page-faults/period=5/
    assert_eq!((first.comm(), first.pid(), first.tid(), first.period()), ("sh", Some(149), Some(149), 5));
    assert_eq!(first.time().unwrap() / 1000, 5_774_380);
    assert_eq!((first.addr(), first.callchain()), (None, &[][..]));
}

#[test]
fn names_of_recorded_codes() {
    let recording = Recording::open(data("neoverse-n1.data")).unwrap();
    let names: Vec<_> = recording.events().iter().map(|event| event.name.as_str()).collect();
    assert_eq!(names[..2], ["cpu_cycles", "inst_retired"]);
    assert_eq!(recording.machine().name(&[0x11], None).unwrap(), "cpu_cycles");
    assert_eq!(recording.machine().cpu().arch, "arm64");
}

#[test]
fn a_pass_outlives_its_recording_and_moves_to_a_thread() {
    let samples = Recording::open(data("neoverse-n1.data")).unwrap().samples(ReadOptions::default()).unwrap();
    assert_eq!(std::thread::spawn(move || samples.count()).join().unwrap(), 374);
}

#[test]
fn names_and_codes() {
    let machine = Machine::named("skylakex").unwrap();
    let encoding = &machine.resolve("mem_load_retired.l3_miss:u").unwrap()[0];
    assert_eq!((encoding.pmu.as_str(), encoding.kind, encoding.config()), ("cpu", Some(4), 0x20d1));
    assert!(encoding.modifiers.exclude_kernel && !encoding.modifiers.exclude_user);
    assert_eq!(machine.resolve(&vec!["cpu/event=0x3c/"; 40].join(",")).unwrap().len(), 40);
    for (code, name) in [
        (0x20d1, "mem_load_retired.l3_miss"),
        (0x80_00c4, "br_inst_retired.all_branches with inv=1"),
        (0xffff, "cpu/event=0xff,umask=0xff/"),
    ] {
        assert_eq!(machine.name(&[code], None).unwrap(), name);
    }
    let names = machine.names(&[0x20d1], Some("cpu")).unwrap();
    assert!(names.exact && names.terms == "event=0xd1,umask=0x20");
}

#[test]
fn errors_have_kind_offset_and_hint() {
    let machine = Machine::named("skylakex").unwrap();
    let error = machine.resolve("cycles,cpu/event=zz/").unwrap_err();
    assert_eq!((error.kind, error.offset), (ErrorKind::InvalidArgument, Some(11)));
    let error = machine.resolve("mem_load_retired.l3_mis").unwrap_err();
    assert_eq!(error.kind, ErrorKind::NotFound);
    assert!(error.hint.contains("mem_load_retired.l3_miss") && error.to_string().ends_with(')'));
    assert_eq!(machine.resolve("cyc\0les").unwrap_err().offset, Some(3));
    assert_eq!(machine.name(&[], None).unwrap_err().kind, ErrorKind::InvalidArgument);
    assert_eq!(Machine::named("no such CPU").unwrap_err().kind, ErrorKind::NotFound);
    assert_eq!(Recording::open("/no such file").unwrap_err().kind, ErrorKind::NotFound);
    let bytes = std::fs::read(data("neoverse-n1.data")).unwrap();
    let file = std::fs::File::open(data("neoverse-n1.data")).unwrap();
    for recording in [
        Recording::from_bytes(&bytes, "box").unwrap(),
        Recording::from_descriptor(std::os::unix::io::AsFd::as_fd(&file), "box").unwrap(),
    ] {
        assert_eq!(recording.samples(ReadOptions::default()).unwrap().count(), 374);
    }
    assert!(Recording::from_bytes(b"", "box").unwrap_err().to_string().contains("box"));
}

#[test]
fn damage_is_told() {
    let path = std::env::temp_dir().join(format!("evname-damaged-{}.data", std::process::id()));
    std::fs::write(&path, &std::fs::read(data("neoverse-n1.data")).unwrap()[..9000]).unwrap();
    let mut samples = Recording::open(&path).unwrap().samples(ReadOptions::default()).unwrap();
    let count = samples.by_ref().filter(Result::is_ok).count();
    assert!(count > 0 && count < 374 && !samples.warnings().is_empty());
    assert_eq!(samples.tally().unwrap().samples, count as u64);
    std::fs::remove_file(path).unwrap();
}

// perf script -F event,dso of it.
#[test]
fn frames_have_the_files_that_perf_names() {
    let recording = Recording::open(data("neoverse-n1.data")).unwrap();
    let mut samples = recording.samples(ReadOptions::default()).unwrap();
    let symbols = Symbols::new(&SymbolOptions { no_lines: true, ..Default::default() }).unwrap();
    let mut counts = BTreeMap::<_, usize>::new();
    while let Some(sample) = samples.next() {
        let sample = sample.unwrap();
        let frame = samples.stack(&symbols).unwrap().remove(0);
        let mapping = samples.mapping(frame.ip, frame.kernel).unwrap().unwrap();
        assert!(Some(frame.ip) == sample.ip() && mapping.start <= frame.ip && frame.ip < mapping.end);
        assert!(mapping.kernel == frame.kernel && (frame.kernel || mapping.file == frame.dso));
        if recording.events()[sample.event()].name == "cpu_cycles" {
            *counts.entry(frame.dso).or_default() += 1;
        }
        assert_eq!(samples.mapping(1, false).unwrap(), None);
    }
    let expected =
        [("/usr/bin/busybox", 221), ("[kernel.kallsyms]", 18)].map(|(file, count)| (file.to_owned(), count));
    assert_eq!(counts, BTreeMap::from(expected));
    assert_eq!(samples.stack(&symbols).unwrap_err().kind, ErrorKind::InvalidArgument);
}

// deferred-zstd.chains: perf script -F ip of it.
#[test]
fn stacks_are_the_chains_of_perf() {
    let mut samples =
        Recording::open(data("deferred-zstd.data")).unwrap().samples(ReadOptions::default()).unwrap();
    let printed = std::fs::read_to_string(data("deferred-zstd.chains")).unwrap();
    for block in printed.trim_end().split("\n\n") {
        let sample = samples.next().unwrap().unwrap();
        let symbols = Symbols::new(&SymbolOptions::default()).unwrap(); // need not last
        let chain: Vec<_> =
            block.lines().skip(1).map(|line| u64::from_str_radix(line.trim(), 16).unwrap()).collect();
        assert_eq!(samples.stack(&symbols).unwrap().iter().map(|frame| frame.ip).collect::<Vec<_>>(), chain);
        let markers: Vec<_> =
            sample.callchain().iter().filter_map(|&word| evname::context_name(word)).collect();
        assert!(markers.iter().all(|name| name.starts_with("PERF_CONTEXT_")) && !markers.is_empty());
    }
    assert!(samples.next().is_none());
}

/// A record as perf script --show-mmap-events and its like write it.
fn text_of(record: &Record) -> Option<String> {
    let (type_name, name) = (record.type_name(), record.name().unwrap_or(""));
    let (pid, tid) = (record.own_pid().unwrap_or(0), record.own_tid().unwrap_or(0));
    let mapping = || {
        let (start, size) = (record.address().unwrap(), record.size().unwrap());
        let offset = match record.offset().unwrap() {
            0 if type_name == "MMAP2" => "0".to_owned(),
            offset => format!("{:#x}", offset),
        };
        format!("{pid}/{tid}: [{start:#x}({size:#x}) @ {offset}")
    };
    let file = || match record.build_id() {
        Some(id) => format!("<{}>", id.iter().map(|byte| format!("{byte:02x}")).collect::<String>()),
        None => format!(
            "{:02x}:{:02x} {} {}",
            record.device_major().unwrap(),
            record.device_minor().unwrap(),
            record.inode().unwrap(),
            record.generation().unwrap()
        ),
    };
    let letters = || {
        let protection = record.protection().unwrap();
        let letter = |bit, letter| if protection & bit != 0 { letter } else { '-' };
        let shared = if record.flags().unwrap() & 1 != 0 { 's' } else { 'p' };
        [letter(1, 'r'), letter(2, 'w'), letter(4, 'x'), shared].iter().collect::<String>()
    };
    let rest = match type_name.as_str() {
        "MMAP" => {
            format!(" {}]: {} {name}", mapping(), if record.is_data().unwrap() { 'r' } else { 'x' })
        }
        "MMAP2" => format!(" {} {}]: {} {name}", mapping(), file(), letters()),
        "COMM" => format!("{}: {name}:{pid}/{tid}", if record.is_exec().unwrap() { " exec" } else { "" }),
        "FORK" | "EXIT" => {
            format!("({pid}:{tid}):({}:{})", record.other_pid().unwrap(), record.other_tid().unwrap())
        }
        "KSYMBOL" => format!(
            " addr {:x} len {} type {} flags {:#x} name {name}",
            record.address().unwrap(),
            record.size().unwrap(),
            record.kind().unwrap(),
            record.flags().unwrap()
        ),
        "BPF_EVENT" => format!(
            " type {}, flags {}, id {}",
            record.kind().unwrap(),
            record.flags().unwrap(),
            record.own_id().unwrap()
        ),
        "CGROUP" => format!(" cgroup: {} {name}", record.own_id().unwrap()),
        _ => return None,
    };
    let time = record.time().unwrap_or(0);
    Some(format!("{}.{:09}: PERF_RECORD_{type_name}{rest}", time / 1_000_000_000, time % 1_000_000_000))
}

// records.txt: perf script of them.
#[test]
fn records_are_those_of_perf() {
    let text = std::fs::read_to_string(data("records.txt")).unwrap();
    for block in text.split("== ").skip(1) {
        let mut lines = block.lines();
        let recording = Recording::open(data(lines.next().unwrap())).unwrap();
        let mut samples = recording.samples(ReadOptions::default()).unwrap();
        let records: Vec<Record> =
            std::iter::from_fn(|| samples.next_record()).map(|record| record.unwrap()).collect();
        let printed: Vec<_> = records.iter().filter_map(text_of).collect();
        assert_eq!(printed, lines.collect::<Vec<_>>());
        let key = |sample: &evname::Sample| (sample.time(), sample.ip(), sample.event());
        let of_records: Vec<_> = records.iter().filter_map(Record::sample).map(key).collect();
        let alone: Vec<_> =
            recording.samples(ReadOptions::default()).unwrap().map(|sample| key(&sample.unwrap())).collect();
        assert!(of_records == alone && !alone.is_empty());
        for record in records.iter().filter(|record| record.sample().is_some()) {
            let sample = record.sample().unwrap();
            assert_eq!(
                (record.type_number(), record.time(), record.event()),
                (9, sample.time(), Some(sample.event()))
            );
        }
    }
}

// perf report --stats of it.
#[test]
fn records_have_the_types_that_perf_counts() {
    let mut samples =
        Recording::open(data("neoverse-n1.data")).unwrap().samples(ReadOptions::default()).unwrap();
    let mut counts = BTreeMap::<_, usize>::new();
    while let Some(record) = samples.next_record() {
        let record = record.unwrap();
        if record.type_name() == "FORK" {
            // perf script -D, and the bytes
            assert_eq!((record.time(), record.own_time()), (Some(5786781856), Some(5786782464)));
            assert_eq!((record.is_exec(), record.name(), record.lost()), (Some(false), None, None));
        }
        *counts.entry(record.type_name()).or_default() += 1;
    }
    let expected = [
        ("MMAP", 1),
        ("MMAP2", 2),
        ("COMM", 4),
        ("FORK", 1),
        ("EXIT", 2),
        ("SAMPLE", 374),
        ("FINISHED_ROUND", 2),
        ("ID_INDEX", 1),
        ("THREAD_MAP", 1),
        ("CPU_MAP", 1),
        ("TIME_CONV", 1),
        ("FINISHED_INIT", 1),
    ];
    assert_eq!(counts, BTreeMap::from(expected.map(|(name, count)| (name.to_owned(), count))));
    assert!(samples.next_record().is_none());
}

#[test]
fn the_example_prints_stacks() {
    let kallsyms = std::env::temp_dir().join(format!("evname-kallsyms-{}", std::process::id()));
    std::fs::write(
        &kallsyms,
        "ffff800008000000 T _text\nffff800008000010 t whole_kernel\nffff80000a000000 T _end\n",
    )
    .unwrap();
    let example = std::env::current_exe().unwrap().ancestors().nth(2).unwrap().join("examples/stacks");
    let done =
        std::process::Command::new(example).arg(data("neoverse-n1.data")).arg(&kallsyms).output().unwrap();
    std::fs::remove_file(kallsyms).unwrap();
    let (lines, mut counts) = (String::from_utf8(done.stdout).unwrap(), BTreeMap::<_, usize>::new());
    for line in lines.lines().filter(|line| line.starts_with("cpu_cycles;")) {
        *counts.entry(line.rsplit(';').next().unwrap().split('+').next().unwrap()).or_default() += 1;
    }
    assert_eq!(counts, BTreeMap::from([("busybox", 221), ("whole_kernel", 18)]));
    assert_eq!(lines.lines().count(), 374);
}
