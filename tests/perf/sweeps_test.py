#!/usr/bin/env python3
"""The instructions and bytes of a solve, beside those that instructions.json records: what CI can hold a solve's speed
to, whatever else its machine does.

valgrind's callgrind counts the instructions of sweeps.cpp's solves; it knows no AVX-512, so the kernels are those for
AVX2. The bytes are the plan's own count of what a solve reads of the factors and of its lists. What takes more by 5% is
a regression, and fails; what takes less by 5% fails, too, so that the file is renewed and the gain is kept:

    scripts/build -- perf_renew

Counts of another compiler, of a build that is not Release, or of another kind of processor say nothing about the code:
then, and without valgrind, the test is skipped, with a line that says why.
"""

import argparse
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

RECORD = pathlib.Path(__file__).with_name("instructions.json")
RENEW = "scripts/build -- perf_renew"
TOLERANCE = 0.05
SKIPPED = 77  # ctest's SKIP_RETURN_CODE


def reason_to_skip(options):
    if options.build != "Release":
        return f"this is a build with {options.build}; what is recorded is of Release"
    if not shutil.which("valgrind") or not options.program:
        return "no valgrind when this build was configured, or now; run scripts/install-deps and build again"
    if platform.machine() != "x86_64" or " avx2 " not in pathlib.Path("/proc/cpuinfo").read_text():
        return "what is recorded is of x86-64 processors with AVX2"
    recorded = json.loads(RECORD.read_text())["compiler"] if RECORD.exists() else options.compiler
    if recorded != options.compiler and not options.renew:
        return f"the compiler is {options.compiler}; what is recorded is of {recorded}"
    return None


def instructions_in(dump):
    """The name of the solve that a dump of callgrind is of, and its instructions; None for those of no solve."""
    text = dump.read_text()
    name = re.search(r"^desc: Trigger: Client Request: (.* nrhs \d+)$", text, re.MULTILINE)
    return (name[1], int(re.search(r"^totals: (\d+)$", text, re.MULTILINE)[1])) if name else None


def count(program):
    """What is to be recorded: instructions by solve, and bytes by matrix."""
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run(
            ["valgrind", "--quiet", "--tool=callgrind", "--instr-atstart=no", "--collect-atstart=no",
             f"--callgrind-out-file={folder}/dump", program],
            # A program of one rank, alone, needs no daemon of Open MPI's beside it.
            env={**os.environ, "OMPI_MCA_ess_singleton_isolated": "1", "OMPI_MCA_orte_top_session_dir": f"{folder}/mpi"},
            capture_output=True, text=True)
        if result.returncode != 0:
            sys.exit(f"{program} failed with status {result.returncode} under valgrind\n{result.stderr}")
        instructions = filter(None, map(instructions_in, pathlib.Path(folder).iterdir()))
        return {"instructions": dict(sorted(instructions)), "bytes": bytes_in(result.stdout)}


def bytes_in(output):
    """From the program's lines: matrix, bytes of panels that a solve reads, bytes that it has to, bytes of lists."""
    count = {}
    for matrix, read, needed, lists in map(str.split, output.splitlines()):
        if read != needed:
            sys.exit(f"{matrix}: a solve reads {read} bytes of panels; each of its uses once makes {needed}")
        count[matrix] = int(read) + int(lists)
    return count


def differences(recorded, counted):
    """A line for each count that is not what is recorded."""
    for unit in ("instructions", "bytes"):
        for name in sorted(recorded[unit].keys() | counted[unit].keys()):
            before, now = recorded[unit].get(name), counted[unit].get(name)
            if before is None:
                yield f"{name}: {now} {unit} counted, none recorded"
            elif now is None:
                yield f"{name}: {before} {unit} recorded, none counted"
            elif abs(now - before) >= TOLERANCE * before:
                how = "a regression" if now > before else "a gain to be kept"
                yield f"{name}: {before} {unit} recorded, {now} counted, {100 * (now / before - 1):+.1f}%: {how}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", help="sweeps.cpp, compiled")
    parser.add_argument("--compiler", required=True, help="that compiled it, with its version")
    parser.add_argument("--build", required=True, help="its build type")
    parser.add_argument("--renew", action="store_true", help="record what is counted")
    options = parser.parse_args()
    if reason := reason_to_skip(options):
        print(f"skipped: {reason}")
        return SKIPPED
    counted = {"compiler": options.compiler, **count(options.program)}
    if options.renew:
        RECORD.write_text(json.dumps(counted, indent=2) + "\n")
        return 0
    lines = list(differences(json.loads(RECORD.read_text()), counted))
    for line in lines:
        print(line)
    if lines:
        print(f"To record what is counted now: {RENEW}")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
