"""Names to codes and back. Codes are of Intel's SDM, volume 3."""

import pytest

import evname



def test_a_name_to_its_code():
    (encoding,) = evname.resolve("mem_load_retired.l3_miss:u", cpu="skylakex")
    assert (encoding.pmu, encoding.type, encoding.config) == ("cpu", 4, 0x20D1)
    assert encoding.words == (0x20D1, 0, 0, 0, 0)
    assert encoding.exclude_kernel and encoding.exclude_hv and not encoding.exclude_user


def test_groups_and_many_pmus():
    encodings = evname.resolve("{cycles,instructions}", cpu="skylakex")
    assert [e.leader for e in encodings] == [0, 0]
    text = ",".join(["cpu/event=0x3c/"] * 40)
    assert [e.config for e in evname.resolve(text, cpu="skylakex")] == [0x3C] * 40


@pytest.mark.parametrize("code, name", [
    (0x20D1, "mem_load_retired.l3_miss"),
    ([0x20D1, 0, 0, 0, 0], "mem_load_retired.l3_miss"),
    (0x008000C4, "br_inst_retired.all_branches with inv=1"),
    (0xFFFF, "cpu/event=0xff,umask=0xff/"),
])
def test_a_code_to_its_name(code, name):
    assert evname.name(code, cpu="skylakex") == name


def test_all_names_of_a_code():
    names = evname.Machine("skylakex").names(0x20D1, "cpu")
    assert names.exact and names.terms == "event=0xd1,umask=0x20" and names.pmu == "cpu"
    assert names.names == ["mem_load_retired.l3_miss"]


def test_errors_have_the_offset_of_the_fault():
    with pytest.raises(evname.InvalidArgumentError) as caught:
        evname.resolve("cycles,cpu/event=zz/", cpu="skylakex")
    assert caught.value.offset == len("cycles,cpu/")
    assert isinstance(caught.value, ValueError)
    with pytest.raises(LookupError) as caught:
        evname.resolve("mem_load_retired.l3_mis", cpu="skylakex")
    assert isinstance(caught.value, evname.NotFoundError)
    assert "mem_load_retired.l3_miss" in caught.value.hint and caught.value.hint in str(caught.value)


@pytest.mark.parametrize("code", [[], [0] * 6, -1, 2**64, "0x20d1"])
def test_codes_that_are_none(code):
    with pytest.raises((ValueError, TypeError)):
        evname.name(code, cpu="skylakex")


SKYLAKE = evname.Machine("skylakex")


@pytest.mark.parametrize("call", [
    evname.Machine,
    lambda text: evname.Machine("skylakex", sysfs=text),
    lambda text: evname.Machine("skylakex", events=text),
    SKYLAKE.resolve,
    SKYLAKE.events,
    lambda text: SKYLAKE.name(0x20D1, text),
    lambda text: evname.list_metrics(SKYLAKE, text),
    lambda text: evname.list_metrics(SKYLAKE, group=text),
    evname.MetricSet(SKYLAKE).add,
    lambda text: evname.MetricSet(SKYLAKE).set_fact(text, 1),
    lambda text: evname.MetricSet(SKYLAKE).add_expression("a", text),
    lambda text: evname.TopdownTree(SKYLAKE, text),
    lambda text: evname.Counters(SKYLAKE, text),
    lambda text: evname.Report([text]),
    lambda text: evname.Symbols(symfs=text),
    evname.open,
])
def test_no_text_ends_at_a_nul(call):
    with pytest.raises(evname.InvalidArgumentError, match="the text has a NUL in it"):
        call("cycles\0:u")


def test_machines():
    machine = evname.Machine("GenuineIntel-6-55-4")
    assert machine.cpu.model == "skylakex" and machine.cpu.matched_by == "cpuid"
    assert machine.pmus[0].name == "cpu" and machine.pmus[0].is_core
    (event,) = machine.events("MEM_LOAD_RETIRED.L3_MISS")
    assert event.name == "mem_load_retired.l3_miss" and "0xd1" in event.terms and event.desc
    assert (event.precise, event.precise_address, event.errata) == ("possible", True, "")
    with pytest.raises(evname.NotFoundError):
        evname.Machine("no such CPU")


def test_metrics_computed_by_hand():
    metrics = evname.MetricSet(evname.Machine("skylakex"))
    metrics.add_expression("ipc", "instructions / cycles")
    metrics.add_expression("wasted", "1 - cpu@event\\=0xc2\\,umask\\=2@ / 8")
    texts = [event.text for event in metrics.events]
    assert texts[:2] == ["instructions", "cycles"] and len(texts) == 3
    values = metrics.evaluate({"instructions": 3e9, "cycles": 2e9, texts[2]: 2})
    assert values["ipc"].value == 1.5 and values["wasted"].value == 0.75
    assert metrics.evaluate({"INSTRUCTIONS": 3e9, "Cycles": 2e9, texts[2]: 2}) == values
    assert metrics.evaluate({"instructions": 3e9})["ipc"][::3] == (None, "cycles was not counted")
    with pytest.raises(KeyError, match="'instruction'"):
        metrics.evaluate({"instruction": 1})
    with pytest.raises(evname.Error) as caught:
        metrics.add_expression("broken", "cycles + ")
    assert caught.value.offset is not None


def test_a_topdown_tree_computed_by_hand():
    tree = evname.TopdownTree(evname.Machine("skylakex"), facts={"#smt_on": 0, "#core_wide": 1})
    nodes = {node.name: node for node in tree.nodes}
    assert nodes["tma_l1_bound"].level == 3 and tree.nodes[nodes["tma_l1_bound"].parent].name == "tma_memory_bound"
    assert nodes["tma_retiring"].samples == ("UOPS_RETIRED.RETIRE_SLOTS",) and nodes["tma_retiring"].share == "slots"
    counts = {"CPU_CLK_UNHALTED.THREAD": 1000, "IDQ_UOPS_NOT_DELIVERED.CORE": 800, "UOPS_ISSUED.ANY": 3000,
              "UOPS_RETIRED.RETIRE_SLOTS": 2800, "INT_MISC.RECOVERY_CYCLES": 50}
    values = tree.evaluate(counts)
    assert values["tma_frontend_bound"] == (20, True) and values["tma_retiring"] == (70, False)
    assert values["tma_fetch_latency"].value is None and tree.next(counts) == "tma_frontend_bound"
    assert tree.explain("tma_fetch_latency", counts).endswith(" was not counted")
    assert tree.explain("tma_retiring", counts) == ""
    with pytest.raises(KeyError):
        tree.evaluate({"instruction": 1})
    with pytest.raises(evname.NotFoundError):
        evname.TopdownTree(evname.Machine("skylakex"), "no_such_pmu")


def test_metrics_of_a_machine():
    metrics = evname.MetricSet(evname.Machine("skylakex"))
    with pytest.raises(evname.NotFoundError):
        metrics.add("no_such_metric")
    listed = evname.list_metrics(evname.Machine("skylakex"), "*ipc*")
    assert listed and all("ipc" in metric.name.lower() for metric in listed)
    metrics.add(listed[0].name)
    assert metrics.metrics[0].events and metrics.metrics[0].name == listed[0].name
