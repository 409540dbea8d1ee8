"""The figures of the H-matrix paper (Yamazaki, Ida, Yokota, Dongarra 2019): its studies, predicted by
`trisweep himv` for its clusters, beside the paper's results; and, where this machine permits, real runs of
`trisweep bem`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from matplotlib.figure import Figure

from trisweep import plots
from trisweep.bench.experiment import Experiment
from trisweep.bench.hmatrix_precision import sized
from trisweep.lab import Lab, Settings
from trisweep.runs import Record
from trisweep.tables import Column, Table, pivot, spread

COLUMNS = (
    Column("matrix", "matrix"),
    Column("series", "how"),
    Column("kind", "real?"),
    Column("launches", "launches", ",d"),
    Column("idle", "threads idle, %", ".0f"),
    Column("padding", "numbers / without padding", ".2f"),
    Column("product", "product, ms", ".3g"),
    Column("rate", "Gflop/s", ".3g"),
    Column("iteration", "iteration, ms", ".3g"),
    Column("local", "GPUs of a process, ms", ".3g"),
    Column("gather", "all-gathers, ms", ".3g"),
    Column("vectors", "vectors, ms", ".3g"),
    Column("ratio", "first / this", ".2f"),
    Column("paper", "the paper"),
)
REAL_SIZE = "spheres:4800"


@dataclass(frozen=True)
class Way:
    """One variant: arguments of `trisweep himv`; those of `trisweep bem`, with the number of ranks, if it can
    run here; and the paper's results, by matrix."""

    label: str
    words: tuple[str, ...]
    paper: dict[str, str]
    real: tuple[str, ...] = ()
    ranks: int = 1


@dataclass(frozen=True)
class Study:
    number: int
    title: str
    ways: tuple[Way, ...]
    matrices: tuple[str, ...]
    compares: str  # the column whose ratio to the first row of the same matrix is shown
    notes: tuple[str, ...]  # the paper's conclusions, and why ours differ


def _launched(record: Record) -> dict[str, float]:
    counts = record["launched"]
    threads = counts["threads"]
    return {
        "launches": counts["launches"],
        "idle": 100 * counts["idle_threads"] / threads if threads else 0,
        "padding": counts["numbers"] / (counts["numbers"] - counts["padding"]),
    }


def _predicted(lab: Lab, matrix: str, way: Way) -> Record:
    lab.show(f"predict {matrix}, {way.label}")
    record = lab.trisweep.document(["himv", *sized(matrix), *way.words])["himv"]
    iteration = record["iteration"]
    return {
        **_launched(record),
        "product": 1e3 * record["product_seconds"],
        "rate": 2e-9 * record["numbers_max"] / record["product_seconds"],
        "iteration": 1e3 * iteration["seconds"],
        "local": 1e3 * iteration["local_seconds"],
        "gather": 1e3 * iteration["gather_seconds"],
        "vectors": 1e3 * iteration["vector_seconds"],
    }


def _done(lab: Lab, way: Way) -> Record:
    """Measures a solve on this machine: counts for a product, and times (medians over the rounds)."""
    words = ["bem", *sized(lab.settings.matrices[-1]), *way.real]
    (records,) = lab.in_turns([way.label], lambda _: lab.trisweep.document(words, way.ranks)["bem"])
    row: Record = {"iteration": spread(1e3 * r["solve_seconds"] / max(r["iterations"], 1) for r in records)}
    if "device" in records[0]:
        row |= _launched(records[0]["device"])
    return row


def _measure(study: Study, lab: Lab) -> Table:
    """Predictions for all matrices but the last, which is solved on this machine."""
    table = Table(COLUMNS, [], [*study.notes])
    for matrix in lab.settings.matrices[:-1]:
        rows = [
            {
                "matrix": matrix,
                "series": way.label,
                "kind": "predicted",
                "paper": way.paper.get(matrix),
                **_predicted(lab, matrix, way),
            }
            for way in study.ways
        ]
        for row in rows:
            row["ratio"] = rows[0][study.compares] / row[study.compares] if row[study.compares] else None
        table.rows += rows
    for way in study.ways:
        if way.real:
            table.rows.append(
                {"matrix": lab.settings.matrices[-1], "series": way.label, "kind": "real", **_done(lab, way)}
            )
    return table


def _draw(study: Study, table: Table) -> Figure:
    figure, [[axes]] = plots.new_figure(width=9.0)
    predicted = table.groups("kind").get(("predicted",), [])
    plots.bars(axes, *pivot(predicted, "matrix", "series", study.compares, [way.label for way in study.ways]))
    axes.set_ylabel(next(column.heading for column in COLUMNS if column.key == study.compares))
    plots.legend(figure, columns=4)
    return figure


ON_HOST = ("--device", "emulated")
BATCHED = ("--kernel", "batched")
UNCUT = ("--block-rows", "0", "--machine", "reedbush-h")


def _batches(label: str, *words: str, paper: dict[str, str] | None = None, real: bool = True) -> Way:
    words = (*BATCHED, *words)
    return Way(label, (*UNCUT, *words), paper or {}, (*ON_HOST, *words) if real else ())


def _by_matrix(*values: float) -> dict[str, str]:
    return {name: f"{value:g}" for name, value in zip(("100ts", "338ts", "hum2", "hum6"), values, strict=True)}


MERGED = Way("merged kernel", (*UNCUT[2:], "--kernel", "merged"), {}, (*ON_HOST, "--kernel", "merged"))
FIG9 = (
    _batches(
        "padded, 5,000 in a batch",
        *("--cut", "count", "--batch", "5000", "--padded"),
        paper=_by_matrix(53.00, 64.51, 43.11, 72.13),
        real=False,
    ),
    _batches("20,000 in a batch", "--cut", "count", paper=_by_matrix(65.21, 74.10, 50.93, 84.35)),
    _batches("ranges of rows, 1 stream", paper=_by_matrix(51.43, 56.67, 40.72, 70.50)),
    _batches("2 streams", "--streams", "2", paper=_by_matrix(81.12, 84.14, 72.20, 96.56)),
    _batches("3 streams", "--streams", "3", paper=_by_matrix(84.13, 86.14, 72.20, 96.87)),
    Way(
        "blocks of 256 rows, no atomics",
        (*UNCUT[2:], *BATCHED, "--sums", "row-blocks"),
        {},
        (*ON_HOST, *BATCHED, "--sums", "row-blocks"),
    ),
    MERGED,
)

# Processes per node and GPUs per process.
TSUBAME = {"per-gpu": (4, 1), "per-socket": (2, 2), "per-node": (1, 4)}
REEDBUSH = {"per-socket": (2, 1), "per-node": (1, 2)}


def _processes(machine: str, config: tuple[int, int], nodes: int, *words: str) -> tuple[str, ...]:
    of_node, gpus = config
    counts = ("--nodes", str(nodes), "--processes", str(of_node), "--gpus", str(gpus))
    return ("--machine", machine, *counts, *words)


def _on_nodes(
    machine: str,
    configs: dict[str, tuple[int, int]],
    nodes: Sequence[int],
    *words: str,
    paper: dict[tuple[str, int], dict[str, str]] | None = None,
) -> tuple[Way, ...]:
    return tuple(
        Way(f"{name}, {count} nodes", _processes(machine, config, count, *words), (paper or {}).get((name, count), {}))
        for count in nodes
        for name, config in configs.items()
    )


def _times(first: dict[str, Sequence[float]], second: dict[str, Sequence[float]]) -> dict:
    """Fig. 16: time per iteration of 100ts (on 2, 4, 8, 16 nodes) and 1ms (on 4, 8, 16, 32)."""
    found: dict[tuple[str, int], dict[str, str]] = {}
    for matrix, nodes, table in (("100ts", (2, 4, 8, 16), first), ("1ms", (4, 8, 16, 32), second)):
        for config, values in table.items():
            for count, value in zip(nodes, values, strict=True):
                found.setdefault((config, count), {})[matrix] = f"{value:g} ms"
    return found


FIG16 = _times(
    {"per-gpu": (3.7, 3.1, 3.2, 4.3), "per-socket": (3.8, 3.3, 3.1, 4.6), "per-node": (3.8, 3.1, 3.0, 3.3)},
    {
        "per-gpu": (29.3, 30.5, 36.9, 50.9),
        "per-socket": (26.2, 21.9, 22.8, 28.9),
        "per-node": (23.9, 19.8, 18.4, 18.6),
    },
)
GPUS_HERE = tuple(
    Way(
        f"{gpus} GPUs by {way}",
        (*_processes("tsubame3", (1, gpus), 1), "--way", way),
        {},
        (*ON_HOST, "--gpus", str(gpus), "--way", way),
    )
    for gpus in (1, 2, 4)
    for way in ("set", "copy", "peer")
)
BLOCK_MS = {1: 18.4, 4: 10.2, 8: 9.1, 16: 8.8, 32: 10.3}
PIPE2_MS = {1: 19.3, 4: 9.4, 8: 7.6, 16: 6.7, 32: 6.8}
PIPELINED = ("--pipelined", "--schedule", "redundant")
LATENCIES = ("1e-6", "1e-5", "1e-4", "1e-3")

LARGE = ("100ts", "338ts")
STUDIES = (
    Study(
        7,
        "orders of the panels",
        tuple(
            _batches(f"order {order}", "--cut", "count", "--order", order)
            for order in ("none", "rows", "rows-in-eights")
        ),
        ("100ts",),
        "idle",
        ("The paper shows the shapes; what an order is good for is how many threads of a launch are idle.",),
    ),
    Study(
        8,
        "orders and cuts of batches",
        tuple(
            _batches(f"order {order}, by {cut}", "--cut", cut, "--order", order)
            for cut in ("count", "row-ranges")
            for order in ("none", "rows", "rows-in-eights")
        ),
        ("100ts",),
        "product",
        (
            "The paper: sorting is up to 2.5 times as fast, and ranges of rows hardly faster than sorting.",
            "Ours differ: threads of a launch are as many as its largest panel needs, so that ranges of rows gain more "
            "than sorting; unsorted ranges are many small launches.",
        ),
    ),
    Study(
        9,
        "implementations of the product",
        FIG9,
        LARGE,
        "product",
        (
            "Gflop/s. The paper: OpenMP 10.42 and 11.52, cuBLAS with 5 streams 0.42 and 0.52 (100ts, 338ts).",
            "Ours differ: streams gain 5% at most, since in the model a launch of thousands of blocks fills the GPU; "
            "launches of the paper's kernel, one at a time, did not. The merged kernel has no launches to wait for.",
        ),
    ),
    Study(
        10,
        "an iteration on Tsubame-3, a process for each GPU",
        _on_nodes("tsubame3", {"per-gpu": (4, 1)}, (1, 2, 4, 8), *BATCHED),
        LARGE,
        "iteration",
        (
            "The paper: 46% of an iteration on 8 nodes is communication, which is 4.2 times as fast as on the "
            "processors (8.5 times on one node, 100ts).",
            "Ours have less communication (100ts 35%, 338ts 24%): MPI's time in the paper has the waiting for the "
            "slowest process in it, and a ring of the description's bandwidth is faster than its MPI_Allgatherv. "
            "Processors are not predicted.",
        ),
    ),
    Study(
        11,
        "an iteration on Reedbush-H, a process for each GPU",
        _on_nodes("reedbush-h", {"per-gpu": (2, 1)}, (1, 2, 4, 8), *BATCHED),
        LARGE,
        "iteration",
        ("The paper: 43% of an iteration on 8 nodes is communication. We differ as in Fig. 10.",),
    ),
    Study(
        12,
        "sums of the GPUs of a process, and vectors to all of them",
        GPUS_HERE,
        ("1ms",),
        "local",
        (
            "The paper's bandwidths between two GPUs of Tsubame-3 (set 6.0 to 6.3, copy 9.3 to 9.9, peer 18.5, or 31 "
            "over two links, GB/s) are the description's; what several GPUs take together follows from them. For real: "
            "virtual devices, whose transfers are counted and made; their times mean nothing.",
        ),
    ),
    Study(
        13,
        "vectors to the GPUs of several processes",
        tuple(
            Way(f"{name} by {way}", (*_processes("tsubame3", config, 1), "--way", way), {})
            for name, config in TSUBAME.items()
            for way in ("set", "copy", "peer")
        ),
        ("1ms",),
        "local",
        (
            "The paper, GB/s of a broadcast: one process set 5.7, copy 2.7, peer 6.9; two processes with GPUs 0 and 2 "
            "set 5.6, peer 8.4; four processes 6.2. The model's are within a tenth (tests/studies/gpu_node_test.cpp).",
        ),
    ),
    Study(
        14,
        "all-gathers on Tsubame-3",
        _on_nodes("tsubame3", TSUBAME, (1, 2, 4, 8, 16, 32)),
        ("1ms",),
        "gather",
        ("The paper: fewer processes of a node are faster where there are many nodes, by less on few.",),
    ),
    Study(
        15,
        "all-gathers on Reedbush-H, with messages from the GPUs' memory and without",
        tuple(
            way
            for words, suffix in (((), ""), (("--gpu-aware",), ", GPU-aware"))
            for way in (
                Way(one.label + suffix, one.words, one.paper)
                for one in _on_nodes("reedbush-h", REEDBUSH, (1, 16), *words)
            )
        ),
        ("1ms",),
        "local",
        (
            "The paper: GPU-aware messages are 2.4 and 1.4 times as fast per node (1 and 16 nodes), 4.5 and 2.4 per "
            "socket; ours leave out the copies to and from the host alone, not those within MPI.",
        ),
    ),
    Study(
        16,
        "an iteration by processes of a node",
        _on_nodes("tsubame3", TSUBAME, (2, 4, 8, 16, 32), *BATCHED, paper=FIG16),
        ("100ts", "1ms"),
        "iteration",
        (
            "The paper: a process for each node is up to 2.7 times as fast as one for each GPU (1ms on 32 nodes).",
            "Ours differ: 1.1 times (100ts: 1.7 times). A ring of 128 processes costs what its latencies say, 2.0 ms; "
            "the paper's MPI time grows to 15 ms for each all-gather, with waiting for the slowest.",
        ),
    ),
    Study(
        17,
        "vector work of all GPUs alike, or shared by those of a process",
        tuple(
            Way(f"{schedule}{suffix}", _processes("tsubame3", (1, 4), 64, *BATCHED, "--schedule", schedule, *words), {})
            for schedule in ("redundant", "hierarchical")
            for suffix, words in (("", ()), (", dots merged", ("--merged-dots",)))
        ),
        ("100ts", "1ms"),
        "vectors",
        (
            "The paper, seconds of a solve on 64 nodes, redundant and hierarchical: 100ts 0.22 and 0.17, 1ms 1.04 and "
            "0.50, hum4 1.99 and 1.07, hum6 5.23 and 2.60, 20ms 27.61 and 19.79.",
            "Ours differ: at the memory's bandwidth vector work is small beside the product; the paper's is half of "
            "an iteration, which its kernels' bandwidth does not explain.",
        ),
    ),
    Study(
        18,
        "whether all-gathers pass meanwhile",
        tuple(
            Way(
                overlap,
                _processes("tsubame3", (4, 1), 16, *BATCHED, *PIPELINED, "--overlap", overlap),
                {},
                ("--method", "pipelined-bicgstab", "--overlap", overlap),
                4,
            )
            for overlap in ("block", "pipe1", "pipe2")
        ),
        ("100ts",),
        "iteration",
        (
            "The paper: MPI_Iallgatherv of MPICH passes by 80% to 99% behind other work. For real: 4 ranks of this "
            "machine; `trisweep bem --trace` shows the all-gathers beside the updates of vectors.",
        ),
    ),
    Study(
        19,
        "what pipelining hides, by the number of GPUs and by the latency between nodes",
        (
            *(
                Way(
                    f"{overlap}, {4 * nodes} GPUs",
                    _processes("tsubame3", (4, 1), nodes, *BATCHED, *PIPELINED, "--overlap", overlap),
                    {"100ts": f"{values[4 * nodes]:g} ms"},
                )
                for nodes in (1, 2, 4, 8)
                for overlap, values in (("block", BLOCK_MS), ("pipe2", PIPE2_MS))
            ),
            *(
                Way(
                    f"{overlap}, 32 GPUs, {latency} s",
                    _processes(
                        *("tsubame3", (4, 1), 8, *BATCHED, *PIPELINED, "--overlap", overlap, "--latency", latency)
                    ),
                    {},
                )
                for latency in LATENCIES
                for overlap in ("block", "pipe1", "pipe2")
            ),
        ),
        LARGE,
        "iteration",
        (
            "The paper: pipe2 is up to 1.57 times as fast as block (hum4 on 32 GPUs).",
            "Ours differ: 1.05 times. What hides is at most the vector work, which is little at the memory's "
            "bandwidth. Its iterations of 100ts, 18.4 ms on one GPU, are five times those of its Fig. 16.",
        ),
    ),
)


def _experiment(study: Study) -> Experiment:
    draw: Callable[[Table], Figure] = partial(_draw, study)
    return Experiment(
        name=f"hmatrix-fig{study.number}",
        title=study.title,
        paper=f"H-matrices on GPU clusters, Fig. {study.number}",
        measure=partial(_measure, study),
        draw=draw,
        settings=Settings(matrices=(*study.matrices, REAL_SIZE), rounds=3),
        quick=Settings(matrices=("spheres:1200", "spheres:600"), rounds=1),
        takes=("matrix",),
        predicts=True,
    )


EXPERIMENTS = tuple(_experiment(study) for study in STUDIES)
