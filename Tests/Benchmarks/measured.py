"""What the kernel says of a process and its children, and how several figures of one thing are shown."""

import os
import statistics

TICKS = os.sysconf("SC_CLK_TCK")


def _family(pid):
    family = [pid]
    for each in family:
        for task in os.listdir(f"/proc/{each}/task"):
            with open(f"/proc/{each}/task/{task}/children") as children:
                family += [int(child) for child in children.read().split()]
    return family


def processor_seconds(pid):
    """What a process and its children have computed so far, in the kernel as well."""
    ticks = 0
    for each in _family(pid):
        with open(f"/proc/{each}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / TICKS


def resident_bytes(pid):
    """The memory of a process and its children; what several share counts once."""
    kibibytes = 0
    for each in _family(pid):
        with open(f"/proc/{each}/smaps_rollup") as file:
            kibibytes += sum(int(line.split()[1]) for line in file if line.startswith("Pss:"))
    return kibibytes * 1024


class Figure:
    """What several rounds measured: shown as the median and, if there were several, the range."""

    def __init__(self, values, digits=1):
        self.values = list(values)
        self.median = statistics.median(self.values)
        self._digits = digits

    def __str__(self):
        shown = f"{self.median:,.{self._digits}f}"
        if len(self.values) == 1:
            return shown
        return f"{shown} ({min(self.values):,.{self._digits}f}–{max(self.values):,.{self._digits}f})"


def show(title, head, rows):
    """Prints a table in Markdown."""
    rows = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    print(f"\n### {title}\n")
    for row in [head, ["-" * width for width in widths], *rows]:
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |")
    print(flush=True)
