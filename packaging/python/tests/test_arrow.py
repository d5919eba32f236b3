"""What consumers of Arrow read: by the specification's structs, and by DuckDB where EVNAME_LIBDUCKDB names its
library (npm's @duckdb/node-bindings has one)."""

import collections
import ctypes as c
import os

import numpy
import pytest
from arrow_c import ArrowArray, ArrowSchema, ArrowStream, pointer, values
from conftest import data

import evname

FIELDS = ["comm", "pid", "cpu", "time", "event", "period", "addr"]


def read_stream(batches):
    stream = ArrowStream.from_address(pointer(capsule := batches.__arrow_c_stream__(), b"arrow_array_stream"))
    schema, array, rows, lengths = ArrowSchema(), ArrowArray(), collections.defaultdict(list), []
    assert stream.get_schema(c.addressof(stream), schema) == 0 and schema.format == b"+s"
    while stream.get_next(c.addressof(stream), array) == 0 and array.release:
        lengths.append(array.length)
        for i in range(array.n_children):
            child = schema.children[i].contents
            rows[child.name.decode()] += values(child, array.children[i].contents)
        array.release(c.addressof(array))
        assert not array.release
    schema.release(c.addressof(schema))
    del capsule
    return rows, lengths


def test_a_stream_has_all_samples():
    path = data("cortex-a72-system.data")
    rows, lengths = read_stream(evname.open(path).batches(FIELDS, size=100))
    samples = list(evname.open(path))
    assert sum(lengths) == len(samples) and set(lengths[:-1]) == {100}
    for name in FIELDS:
        expected = [s.event.name if name == "event" else getattr(s, name) for s in samples]
        assert rows[name] == expected, name


def test_buffers_are_not_copied():
    batch = evname.open(data("neoverse-n1.data")).columns(FIELDS)
    capsules = batch.__arrow_c_array__()
    schema = ArrowSchema.from_address(pointer(capsules[0], b"arrow_schema"))
    array = ArrowArray.from_address(pointer(capsules[1], b"arrow_array"))
    names = [schema.children[i].contents.name.decode() for i in range(schema.n_children)]
    assert names == FIELDS
    for i, name in enumerate(names):
        address, _ = numpy.asarray(batch[name]).__array_interface__["data"]
        assert array.children[i].contents.buffers[1] == address


def test_children_may_be_moved_away():
    """A consumer may take a child and release the parent."""
    capsules = evname.open(data("neoverse-n1.data")).columns(["comm", "pid"]).__arrow_c_array__()
    array = ArrowArray.from_address(pointer(capsules[1], b"arrow_array"))
    schema = ArrowSchema.from_address(pointer(capsules[0], b"arrow_schema"))
    child, moved = array.children[0].contents, ArrowArray()
    c.memmove(c.addressof(moved), c.addressof(child), c.sizeof(ArrowArray))
    c.memset(c.addressof(child) + ArrowArray.release.offset, 0, c.sizeof(c.c_void_p))
    array.release(c.addressof(array))
    assert collections.Counter(values(schema.children[0].contents, moved)) == {"sh": 49, "ls": 4, "md5sum": 321}
    moved.release(c.addressof(moved))


def test_an_abandoned_stream():
    batches = evname.open(data("neoverse-n1.data")).batches(size=10)
    next(batches)
    capsule = batches.__arrow_c_stream__()
    del batches, capsule


@pytest.mark.skipif("EVNAME_LIBDUCKDB" not in os.environ, reason="EVNAME_LIBDUCKDB is not set")
def test_duckdb_reads_a_stream():
    path = data("cortex-a72-system.data")
    expected = collections.Counter((s.event.name, s.comm) for s in evname.open(path))
    duck = c.CDLL(os.environ["EVNAME_LIBDUCKDB"])
    duck.duckdb_value_varchar.restype = c.c_char_p
    duck.duckdb_result_error.restype = c.c_char_p
    for call in ("value_varchar", "value_int64"):
        getattr(duck, f"duckdb_{call}").argtypes = [c.c_void_p, c.c_uint64, c.c_uint64]
    duck.duckdb_value_int64.restype = duck.duckdb_row_count.restype = c.c_int64
    database, connection, result = c.c_void_p(), c.c_void_p(), (c.c_char * 256)()
    assert duck.duckdb_open(None, c.byref(database)) == 0
    assert duck.duckdb_connect(database, c.byref(connection)) == 0
    # All columns are used, since this function ignores the columns that a query leaves out.
    capsule = evname.open(path).batches(["event", "comm", "addr", "period"], size=1000).__arrow_c_stream__()
    assert duck.duckdb_arrow_scan(connection, b"samples", c.c_void_p(pointer(capsule, b"arrow_array_stream"))) == 0
    query = (b"SELECT event::VARCHAR, comm::VARCHAR, count(*), count(addr), sum(period)::BIGINT FROM samples "
             b"GROUP BY ALL")
    assert duck.duckdb_query(connection, query, c.byref(result)) == 0, duck.duckdb_result_error(c.byref(result))
    found = {}
    for row in range(duck.duckdb_row_count(c.byref(result))):
        event, comm = (duck.duckdb_value_varchar(c.byref(result), i, row).decode() for i in (0, 1))
        found[event, comm] = duck.duckdb_value_int64(c.byref(result), 2, row)
    assert found == dict(expected)
