"""The cases of tests/c/cases.tsv, which have the same answer in each language."""

import pytest
from conftest import ROOT

import evname

CASES = [line.split("\t") for line in (ROOT / "tests/c/cases.tsv").read_text().splitlines() if not line.startswith("#")]


def words_text(words):
    words = list(words)
    while len(words) > 1 and not words[-1]:
        words.pop()
    return ",".join(map(hex, words))


@pytest.mark.parametrize("question, cpu, pmu, argument, answer", CASES)
def test_the_answer_is_that_of_every_language(question, cpu, pmu, argument, answer):
    machine = evname.Machine(cpu)
    if question == "name":
        assert machine.name([int(word, 0) for word in argument.split(",")], pmu or None) == answer
    elif question == "events":
        assert len(machine.events(argument)) == int(answer)
    elif answer.startswith("error "):
        with pytest.raises(evname.Error) as error:
            machine.resolve(argument)
        assert error.value.offset == int(answer.split()[1])
    else:
        assert " ".join(words_text(encoding.words) for encoding in machine.resolve(argument)) == answer
