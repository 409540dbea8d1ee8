"""A stand-in for the `trisweep` command: records of made-up runs, with counts and times that are easy to check."""

import atexit
import json
import tempfile
from pathlib import Path

import numpy as np

from trisweep.errors import UserError
from trisweep.grids import Grid, parse_grid
from trisweep.lab import Lab, Progress, Settings
from trisweep.peer_programs import KLU, OURS, PEERS, SOLVER
from trisweep.runs import Record, Traffic

_builds = tempfile.TemporaryDirectory()
atexit.register(_builds.cleanup)


def option(words: list[str], name: str, default: str) -> str:
    return words[words.index(name) + 1] if name in words else default


class StandIn:
    """Every solve takes `seconds(grid, words)`; rank r sends `messages(grid, words)` + r messages of 8 bytes, two of
    them between layers when there are several, and receives as many."""

    def __init__(self, seconds=lambda grid, words: 1.0, messages=lambda grid, words: 10):
        self.seconds = seconds
        self.messages = messages
        self.calls: list[tuple[str, ...]] = []
        self.fingerprint = "stand-in"
        self.absent: set[str] = set()  # names of peers
        self.definite = True
        self.peer_seconds = lambda name, words: 1.0
        self._build = Path(tempfile.mkdtemp(dir=_builds.name))

    @property
    def binary(self) -> Path:
        """The command in a build folder that has the programs of the peers, all empty."""
        programs = self._build / "bench/peers"
        programs.mkdir(parents=True, exist_ok=True)
        for peer in (OURS, SOLVER, KLU, *PEERS):
            if peer.name not in self.absent:
                (programs / peer.program).touch()
        return self._build / "trisweep"

    def start(self, program: list[str], ranks: int = 1, variables: dict[str, str] | None = None) -> None:
        """Of the peers. A factorization takes ten times as long as a solve, each reads 1e9 bytes, and there are 2e10 a
        second to be had."""
        words = [word for word in program if not word.endswith("python") and not word.endswith("python3")]
        if words[0] == "-m":
            self._python_solver(words)
            return
        name = Path(words[0]).name
        self.calls.append((name, *words[2:]))
        if name == "peer_prepare":
            np.array([8, 8, self.definite], "<i4").tofile(words[2])
            return
        seconds = self.peer_seconds(name, words)
        count = int(option(words, "--repeats", ""))
        solves = [
            {
                "nrhs": int(nrhs),
                "seconds": [seconds] * count,
                "read_bandwidth": [2e10] * (count + 1),
                "product_rate": [1e12] * (count + 1) if int(nrhs) > 1 else [],
                "passes": 2 if "--refine" in words else 1,
                "backward_error": 1e-16,
            }
            for nrhs in option(words, "--nrhs", "").split(",")
        ]
        if "--answers" in words:
            for one in solves:
                one |= {"first_seconds": 3 * seconds, "passes": 1, "refused": "" if name != "peer_klu" else "no reason"}
        factor = {"seconds": 10 * seconds, "peak_bytes": 1e9, "entries_swept": 1.25e8}
        factor |= {"analysis_seconds": 5 * seconds, "refactor_seconds": [4 * seconds] * count}
        record = {"version": "1.2", "kind": "lu", "factor": factor, "solves": solves}
        record |= {"huge_page_bytes": 1.0, "resident_bytes": 2.0}
        Path(option(words, "--json", "")).write_text(json.dumps(record))

    def _python_solver(self, words: list[str]) -> None:
        """SciPy takes three times as long as others, and a first solution ten times as long as a later solve."""
        self.calls.append(tuple(words[1:]))
        seconds = 3.0 if words[2] == "SciPy" else 1.0
        record = {"first_seconds": 10 * seconds, "solve_seconds": seconds, "backward_error": 1e-16}
        Path(option(words, "--json", "")).write_text(json.dumps(record))

    def run(self, words: list[str], ranks: int = 1) -> None:
        self.calls.append(tuple(words))
        Path(option(words, "-o", "") or option(words, "--save-analysis", "")).write_text("a matrix, or its analysis")

    def _rank(self, rank: int, grid: Grid, words: list[str]) -> Record:
        count = self.messages(grid, words) + rank
        between = 2 if grid.pz > 1 else 0
        kinds = {"broadcast": count - between, "reduction": 0, "exchange": between}
        return {
            "rank": rank,
            "l_seconds": 0.5,
            "u_seconds": 0.3,
            "floating_point_seconds": 0.2,
            "intra_grid_seconds": 0.6,
            "inter_grid_seconds": 0.2,
            "idle_seconds": 0.1,
            "messages": {
                kind: {"sent": n, "bytes_sent": 8 * n, "received": n, "bytes_received": 8 * n}
                for kind, n in kinds.items()
            },
        }

    def solve(self, matrix: Path, grid: Grid, words: list[str]) -> Record:
        self.calls.append(("solve", str(grid), *words))
        return {
            "solve": dict.fromkeys(
                ("seconds_median", "l_seconds", "u_seconds", "inter_grid_seconds"), self.seconds(grid, list(words))
            ),
            "ranks": [self._rank(rank, grid, list(words)) for rank in range(grid.ranks)],
        }

    def simgrid(self, analysis: Path, prediction: list[str]) -> Record:
        """Finds every plan a quarter slower than predicted."""
        record = self._predict(prediction)
        sent = [kind["sent"] for rank in record["ranks"] for kind in rank["messages"].values()]
        return {"seconds": 1.25 * record["solve"]["seconds_min"], "messages": float(sum(sent))}

    def plan(self, matrix: Path, grid: Grid, words: list[str]) -> Record:
        self.calls.append(("plan", str(grid), *words))
        synchronizations = grid.pz.bit_length() - 1
        return {
            "totals": {"synchronizations": synchronizations},
            "ranks": [self._rank(rank, grid, list(words)) for rank in range(grid.ranks)],
        }

    def traffic(self, command: str, matrix: Path, grid: Grid, words: list[str]) -> Traffic:
        """Every rank sends to the next; with flat trees rank 0 also sends 100 messages to each of the others."""
        self.calls.append((command, str(grid), *words))
        p = grid.ranks
        pairs = [(r, (r + 1) % p, 5) for r in range(p)]
        if option(list(words), "--tree", "") == "flat":
            pairs += [(0, r, 100) for r in range(1, p)]
        source, target, messages = np.array(pairs).T
        return Traffic(p, source, target, messages, 8 * messages)

    def _predict(self, words: list[str]) -> Record:
        self.calls.append(tuple(words))
        grid = parse_grid(option(words, "--grid", ""))
        seconds = self.seconds(grid, words)
        solve = {"seconds_min": seconds, "l_seconds": seconds / 2, "u_seconds": seconds / 4, "inter_grid_seconds": 0.1}
        return {
            "matrix": {"rows": 64},
            "factor": {"bytes": 1200 if "separators" in words else 1000},
            "solve": {**solve, "panel_bytes": 1000 * grid.pz, "panel_bytes_max": 400},
            "ranks": [self._rank(rank, grid, words) for rank in range(grid.ranks)],
            "model": {},
        }

    @staticmethod
    def _charge(words: list[str]) -> Record:
        """Adaptive precision takes a quarter of the bytes and of the time; errors are 10 / n."""
        n = int(option(words, "--n", "100"))
        share = 1 if "double" in words or "aca" in words else 0.25
        record = {"object": option(words, "--object", ""), "elements": n, "bytes": 1000 * n * share}
        record |= {"product_seconds": 1e-6 * n * share, "sampled_error": 1e-4, "iterations": 9}
        record |= {"residuals": [0.1**step for step in range(10)], "blocks_of_rank": [0, 2, 5, 1]}
        return record | {"charge": 1.0, "total_charge": 1e-9, "charge_relative_error": 10 / n}

    @staticmethod
    def _himv(words: list[str]) -> Record:
        """A product takes 1 ms, or half of that in one kernel; a quarter of the threads of batches is idle."""
        merged = option(words, "--kernel", "merged") == "merged"
        counts = {"launches": 1 if merged else 8, "threads": 0 if merged else 400, "idle_threads": 0 if merged else 100}
        counts |= {"numbers": 3000, "padding": 1000 if "--padded" in words else 0}
        product = 0.5e-3 if merged else 1e-3
        hidden = {"block": 0, "pipe1": 1e-4, "pipe2": 3e-4}[option(words, "--overlap", "block")]
        iteration = {"local_seconds": 2e-4, "gather_seconds": 1e-4, "vector_seconds": 4e-4}
        iteration["seconds"] = 2 * product + sum(iteration.values()) - hidden
        return {"launched": counts, "numbers_max": 2000, "product_seconds": product, "iteration": iteration}

    def _sptrsv(self, words: list[str]) -> Record:
        """Each PE moves 1 MB, and makes 5 polls, two of which migrate a page."""
        self.calls.append(tuple(words))
        pes = int(option(words, "--pes", "1"))
        shape = {"levels": 4, "parallelism": 2.0, "dependency": 2.5}
        pe = {"polls": 5, "migrations": 2}
        return {
            "matrix": {"rows": 8, "nonzeros": 20},
            "sptrsv": {**shape, "bytes_moved": 1e6 * pes, "idle_share": 0.5, "pes": [pe] * pes},
            "solve": {"seconds_median": self.seconds(parse_grid(f"{pes}x1x1"), words)},
        }

    def document(self, words: list[str], ranks: int = 1) -> Record:
        """Of predict, machines, sptrsv, bem and pingpong."""
        if words[0] == "machines":
            self.calls.append((*words, str(ranks)))
            measured = {"two_sided": {}} if words[1] == "--measure" else {}
            return {"name": words[1], "ranks_per_node": 128, **measured}
        if words[0] == "predict":
            return self._predict(words)
        if words[0] == "bem":
            self.calls.append((*words, str(ranks)))
            launched = {"device": {"launched": self._himv(words)["launched"]}} if "--device" in words else {}
            return {"bem": self._charge(words) | {"solve_seconds": 0.9} | launched}
        if words[0] == "himv":
            self.calls.append(tuple(words))
            return {"himv": self._himv(words)}
        if words[0] == "sptrsv":
            return self._sptrsv(words)
        if words != ["pingpong"] or ranks != 2:
            raise UserError(f"unexpected {words} on {ranks} ranks", "")
        self.calls.append(tuple(words))
        return {
            "transports": [
                {"name": name, "samples": [{"bytes": b, "seconds_median": scale * 1e-6 * b} for b in (8, 16)]}
                for name, scale in (("two-sided", 4.0), ("one-sided", 2.0), ("shared-window", 1.0))
            ]
        }


def lab(stand_in: StandIn, settings: Settings, cache: Path | None = None) -> Lab:
    return Lab(stand_in, settings, Progress(), cache)
