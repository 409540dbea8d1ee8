"""A one-line description of the machine that runs the measurements."""

import os
import platform
import re
import subprocess
from pathlib import Path


def describe_machine() -> str:
    return f"{_processor()}, {len(os.sched_getaffinity(0))} cores, {_memory()}, {_mpi()}"


def _processor() -> str:
    found = re.search(r"^model name\s*: (.*)$", _text("/proc/cpuinfo"), re.MULTILINE)
    return found.group(1) if found else platform.machine()


def _memory() -> str:
    return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB"


def _mpi() -> str:
    try:
        said = subprocess.run(["mpirun", "--version"], capture_output=True, text=True, timeout=60).stdout
    except (OSError, subprocess.TimeoutExpired):
        return "unknown MPI"
    if found := re.search(r"\(Open MPI\) ([\d.]+)", said):
        return f"Open MPI {found.group(1)}"
    found = re.search(r"Version:\s*([\d.]+)", said)
    return f"MPICH {found.group(1)}" if found else "unknown MPI"


def _text(file: str) -> str:
    try:
        return Path(file).read_text()
    except OSError:
        return ""
