"""How the program is compiled and linked, as readelf sees it."""

import re
import subprocess


def readelf(binary, *options):
    return subprocess.run(["readelf", "-W", *options, binary], check=True, capture_output=True, text=True).stdout


def test_the_program_may_be_loaded_anywhere_and_binds_everything_before_it_starts(pinpad_binary):
    assert re.search(r"Type:\s+DYN", readelf(pinpad_binary, "-h"))
    flags = readelf(pinpad_binary, "-d")
    assert re.search(r"\(FLAGS_1\).*\bNOW\b", flags) and re.search(r"\(FLAGS_1\).*\bPIE\b", flags)
    assert "TEXTREL" not in flags


def test_no_memory_can_be_written_and_run(pinpad_binary):
    segments = re.findall(r"^\s+(LOAD|GNU_STACK|GNU_RELRO)\s+(?:0x\w+\s+){5}([R ][W ][E ]) 0x", readelf(pinpad_binary, "-l"), re.M)
    assert {"LOAD", "GNU_STACK", "GNU_RELRO"} == {kind for kind, _ in segments}
    assert [kind for kind, access in segments if "W" in access and "E" in access] == []
    assert ("GNU_STACK", "RW ") in segments


def test_functions_in_c_check_their_stack_and_the_sizes_of_what_they_fill(pinpad_binary):
    symbols = readelf(pinpad_binary, "--dyn-syms")
    assert " __stack_chk_fail" in symbols
    assert re.search(r" __\w+_chk@", symbols.replace("__stack_chk_fail", ""))
