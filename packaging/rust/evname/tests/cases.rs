//! The cases of tests/c/cases.tsv, which have the same answer in each language.

use evname::Machine;

fn number(text: &str) -> u64 {
    u64::from_str_radix(text.trim_start_matches("0x"), 16).unwrap()
}

fn words_text(words: &[u64]) -> String {
    let count = words.iter().rposition(|&word| word != 0).unwrap_or(0) + 1;
    words[..count].iter().map(|word| format!("{word:#x}")).collect::<Vec<_>>().join(",")
}

fn answer(question: &str, cpu: &str, pmu: &str, argument: &str) -> String {
    let machine = Machine::named(cpu).unwrap();
    match question {
        "name" => {
            let words: Vec<u64> = argument.split(',').map(number).collect();
            machine.name(&words, if pmu.is_empty() { None } else { Some(pmu) }).unwrap()
        }
        _ => match machine.resolve(argument) {
            Ok(found) => found.iter().map(|one| words_text(&one.words)).collect::<Vec<_>>().join(" "),
            Err(error) => format!("error {}", error.offset.unwrap()),
        },
    }
}

#[test]
fn answers_are_those_of_every_language() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/c/cases.tsv");
    let table = std::fs::read_to_string(path).unwrap();
    // This package has no lists of events.
    for line in table.lines().filter(|line| !line.starts_with('#') && !line.starts_with("events")) {
        let cells: Vec<&str> = line.split('\t').collect();
        assert_eq!(answer(cells[0], cells[1], cells[2], cells[3]), cells[4], "{line}");
    }
}
