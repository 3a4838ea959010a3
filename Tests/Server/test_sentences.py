"""Each sentence of the contract has a test: `sentences-*.tsv` are the tables, a sentence and a test on each line."""

import ast
import functools
import pathlib

HERE = pathlib.Path(__file__).parent


@functools.cache
def written():
    """The tests there are, as `file.py::name`."""
    return {
        f"{path.name}::{node.name}"
        for path in HERE.glob("test_*.py") for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


def listed():
    """The lines of the tables, each as (sentence, test)."""
    return [
        tuple(line.split("\t"))
        for path in sorted(HERE.glob("sentences-*.tsv")) for line in path.read_text().splitlines() if line]


def exists(test):
    """Whether a listed test exists: one of this folder, or `Tests/….swift::its name` for what takes minutes outside."""
    file, _, name = test.partition("::")
    if not file.endswith(".swift"):
        return test in written()
    path = HERE.parents[1] / file
    return path.exists() and f"func `{name}`" in path.read_text()


def test_every_line_of_the_tables_is_a_sentence_and_a_test_that_exists():
    lines = listed()
    assert len(lines) > 100
    assert [line for line in lines if len(line) != 2 or not line[0].strip()] == []
    assert [test for _, test in lines if not exists(test)] == []
    assert len(set(lines)) == len(lines)


def test_every_test_stands_in_a_table():
    own = {f"{pathlib.Path(__file__).name}::{name}" for name in globals() if name.startswith("test_")}
    assert sorted(written() - own - {test for _, test in listed()}) == []
