"""The guard against requests that become dearer, and the reading of what it counts with."""

import pytest

import baseline
import callgrind
import counting

# Two functions of ours, of which one allocates by way of strdup, and jansson, which allocates with a function of ours.
FILE = """\
# callgrind format
version: 1
events: Ir
summary: 66

ob=(1) /usr/bin/pinpad
fl=(1) ???
fn=(1) insert
0 5
cob=(2) /usr/lib/libc.so.6
cfi=(2) malloc.c
cfn=(2) malloc
calls=3 0
0 30
cob=(2)
cfn=(3) strdup
calls=1 0
0 11
cfn=(4) picture'2
calls=1 0
0 1

fn=(4)
0 1
0

fn=(5) allocate
0 2
cob=(2)
cfn=(2)
calls=2 0
0 20

ob=(2)
fn=(3)
0 1
cob=(3) ???
cfn=(6) 0x1234
calls=1 0
0 10

fn=(2)
0 57

ob=(3)
fn=(6)
0 0
cob=(2)
cfn=(2)
calls=1 0
0 10

ob=(4) /usr/lib/libjansson.so.4
fn=(7) json_loads
0
cob=(1)
cfn=(5)
calls=2 0
0 22
"""

FIGURES = {
    "instructions": 1000, "allocations": {"ours": 3.0, "microhttpd": 2.0, "jansson": 1.0}, "systemCalls": 3.0}


@pytest.fixture
def counts(tmp_path):
    (tmp_path / "callgrind").write_text(FILE)
    return callgrind.read(tmp_path / "callgrind")


def test_each_function_has_its_own_instructions_without_those_of_what_it_calls(counts):
    assert counts.own == {
        ("pinpad", "insert"): 5, ("pinpad", "picture"): 1, ("pinpad", "allocate"): 2, ("libc.so.6", "strdup"): 1,
        ("libc.so.6", "malloc"): 57, ("???", "0x1234"): 0}
    assert counts.instructions == sum(counts.own.values()) == 66


def test_an_allocation_belongs_to_whoever_asked_for_it(counts):
    assert counts.allocations() == {"pinpad": 4, "libjansson.so.4": 2}


def test_a_difference_is_what_one_run_did_more(counts, tmp_path):
    (tmp_path / "before").write_text(FILE.replace("calls=3 0", "calls=1 0").replace("0 57", "0 40").replace("66", "49"))
    more = counts - callgrind.read(tmp_path / "before")
    assert more.instructions == 17
    assert +more.own == {("libc.so.6", "malloc"): 17}
    assert +more.allocations() == {"pinpad": 2}


def test_system_calls_are_read_from_the_table_of_strace():
    calls = counting.SystemCalls("""\
% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 60.00    0.000060           6        10         2 recvfrom
 40.00    0.000040           4        11           sendmsg
------ ----------- ----------- --------- --------- ----------------
100.00    0.000100           4        21         2 total
""")
    assert calls.counts == {"recvfrom": 10, "sendmsg": 11}


@pytest.mark.parametrize("change, reasons", [
    ({}, 0),
    ({"instructions": 1050}, 0),
    ({"instructions": 1051}, 1),
    ({"instructions": 500}, 0),
    ({"allocations": {"ours": 3.2, "microhttpd": 2.0, "jansson": 0.0}}, 0),
    ({"allocations": {"ours": 4.0, "microhttpd": 2.0, "jansson": 2.0}}, 2),
    ({"systemCalls": 4.0}, 1),
])
def test_what_costs_more_than_is_kept_and_tolerated_is_told(change, reasons):
    assert len(baseline.compare("insert", {**FIGURES, **change}, {"costs": {"insert": FIGURES}})) == reasons


def test_a_cost_with_nothing_to_compare_with_is_told():
    assert len(baseline.compare("insert", FIGURES, {"costs": {}})) == 1


@pytest.fixture(scope="module")
def costs(pinpad_binary):
    return counting.count(list(counting.SCENARIOS), pinpad_binary)


@pytest.mark.parametrize("name", counting.SCENARIOS)
def test_one_costs_no_more_than_what_is_kept_in_instructions_json(costs, name):
    # If that is meant to be: Tests/Benchmarks/instructions --renew
    assert baseline.compare(name, costs[name].figures(), baseline.read()) == []
