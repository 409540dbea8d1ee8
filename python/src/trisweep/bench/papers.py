"""The papers' figures as data for predictions.py: the series of each, and the ratios that the paper gives for
it.

s2d9:2048 is the paper's own matrix; the others are similar ones from the gallery, as large as an analysis of
about a minute allows."""

from trisweep.bench import prediction_plots as draw
from trisweep.bench.experiment import Experiment
from trisweep.bench.predictions import Headline, PaperFigure, Series, experiment
from trisweep.grids import Grid

POISSON, KKT, ELASTICITY, MAXWELL = "s2d9:2048", "kkt3d:50", "elasticity3d:48", "maxwell3d:48"
PLATE = "plate:398"
FUSION, CHEMISTRY, CONVECTION, CAGE = "fusion:48", "dense-blocks3d:40", "convection3d:64", "cage:11"

# SC'23: the baseline has flat trees, the proposed algorithm binary ones; the series in between shows the
# effect of the trees alone. For other features of the published baseline see attribution.py.
BASELINE = Series("baseline", ("--schedule", "level-sync", "--tree", "flat"))
LEVEL_SYNC = Series("level-sync, binary trees", ("--schedule", "level-sync", "--tree", "binary"))
PROPOSED = Series("proposed", ("--schedule", "single-sync", "--inter-grid", "sparse", "--tree", "binary"))

FLAT = Series("flat trees", ("--tree", "flat"))
BINARY = Series("binary trees", ("--tree", "binary"))

OVER_BASELINE = "baseline / proposed, same grid, Pz > 1"
OVER_2D = "2D (proposed, Pz = 1) / proposed, best Pz"
BEST_BASELINE = "baseline, best Pz / proposed, best Pz"
OUR_LEVEL_SYNC = "level-sync with binary trees, best Pz / proposed, best Pz"
OF_TREES = "flat / binary trees, L-solve"


def _cpu_and_gpu(machine: str, gpus_per_node: int, *gpu_options: str) -> tuple[Series, ...]:
    # The processors of both sites are EPYC 7003; one core for each GPU, as in the paper. The published kernels have a
    # thread block for each supernode (Algorithms 4 and 5).
    options = (*PROPOSED.options, *gpu_options)
    return (
        Series("CPU", PROPOSED.options, "perlmutter-cpu", gpus_per_node),
        Series("GPU as published", (*options, "--task-per-supernode"), machine),
        Series("GPU", options, machine),
    )


def _gpu_over_cpu(paper: dict[str, tuple[float, float]]) -> tuple[Headline, ...]:
    """Headlines with the paper's largest ratios, for 1 and for 50 right-hand sides."""
    given = {
        f"{kind}:{nrhs}": f"up to {r:g}" for kind, pair in paper.items() for nrhs, r in zip((1, 50), pair, strict=True)
    }
    return tuple(Headline(f"CPU core / {gpu}, same grid", "CPU", gpu, given) for gpu in ("GPU as published", "GPU"))


SINGLE_SYNC = "single-sync, {}"
PROPORTIONAL = "proportional, inverted separators, {}"
TRANSPORTS = ("two-sided", "one-sided")

FIGURES = (
    PaperFigure(
        name="sc23-fig4",
        title="baseline and proposed 3D algorithms, 128 to 2,048 ranks, Pz 1 to 64",
        paper="SC'23, Fig. 4",
        machine="cori-haswell",
        matrices=(POISSON, KKT, PLATE, MAXWELL),
        ranks=(128, 512, 2048),
        layers=(1, 4, 16, 64),
        series=(BASELINE, LEVEL_SYNC, PROPOSED),
        headlines=(
            Headline(
                OVER_BASELINE,
                BASELINE.name,
                PROPOSED.name,
                {"s2d9": "up to 3.45", "kkt3d": "up to 1.87", "plate": "up to 1.13", "maxwell3d": "up to 1.98"},
                least_layers=2,
            ),
            Headline(
                OVER_2D,
                PROPOSED.name,
                PROPOSED.name,
                {"s2d9": "up to 2.2", "kkt3d": "up to 1.1", "plate": "up to 2.1", "maxwell3d": "up to 1.43"},
                best_layers=True,
                slow_layers=1,
            ),
            Headline(BEST_BASELINE, BASELINE.name, PROPOSED.name, best_layers=True),
            Headline(OUR_LEVEL_SYNC, LEVEL_SYNC.name, PROPOSED.name, best_layers=True),
        ),
        draw=draw.scaling(),
    ),
    *(
        PaperFigure(
            name=f"sc23-fig{number}",
            title=f"time of the ranks by what they do, {matrix.partition(':')[0]}",
            paper=f"SC'23, Fig. {number}",
            machine="cori-haswell",
            matrices=(matrix,),
            ranks=(128, 512, 2048),
            layers=(1, 4, 16, 64),
            series=(BASELINE, PROPOSED),
            headlines=(Headline(OVER_BASELINE, BASELINE.name, PROPOSED.name, least_layers=2),),
            draw=draw.breakdown,
        )
        for number, matrix in ((5, POISSON), (6, KKT))
    ),
    *(
        PaperFigure(
            name=f"sc23-fig{number}",
            title=f"load balance of the L-solve and the U-solve, {matrix.partition(':')[0]}",
            paper=f"SC'23, Fig. {number}",
            machine="cori-haswell",
            matrices=(matrix,),
            ranks=(128, 1024),
            layers=(1, 4, 16, 64),
            series=(BASELINE, PROPOSED),
            headlines=(Headline(OVER_BASELINE, BASELINE.name, PROPOSED.name, least_layers=2),),
            draw=draw.balance,
        )
        for number, matrix in ((7, POISSON), (8, KKT))
    ),
    PaperFigure(
        name="sc23-fig9",
        title="1 x 1 x Pz on Crusher, a GPU or a CPU core each",
        paper="SC'23, Fig. 9",
        machine="crusher",
        matrices=(FUSION, POISSON, PLATE),
        grids=tuple(Grid(1, 1, 1 << k) for k in range(7)),
        nrhs=(1, 50),
        series=_cpu_and_gpu("crusher", 8),
        headlines=_gpu_over_cpu({"fusion": (1.6, 2.9), "s2d9": (1.8, 2.2), "plate": (1.7, 2.2)}),
        draw=draw.parts,
    ),
    PaperFigure(
        name="sc23-fig10",
        title="1 x 1 x Pz on Perlmutter, a GPU or a CPU core each",
        paper="SC'23, Fig. 10",
        machine="perlmutter-gpu",
        matrices=(FUSION, POISSON, KKT, MAXWELL),
        grids=tuple(Grid(1, 1, 1 << k) for k in range(7)),
        nrhs=(1, 50),
        series=_cpu_and_gpu("perlmutter-gpu", 4),
        headlines=_gpu_over_cpu(
            {"fusion": (6.5, 5.2), "s2d9": (4.6, 3.7), "kkt3d": (4.8, 4.1), "maxwell3d": (5.0, 4.0)}
        ),
        draw=draw.parts,
    ),
    PaperFigure(
        name="sc23-fig11",
        title="Px x 1 x Pz on Perlmutter, a GPU or a CPU core each",
        paper="SC'23, Fig. 11",
        machine="perlmutter-gpu",
        matrices=(FUSION, KKT, CHEMISTRY, MAXWELL),
        grids=tuple(Grid(px, 1, pz) for pz in (1, 4, 16, 64) for px in (1, 2, 4, 8) if px < 8 or pz == 1),
        series=_cpu_and_gpu("perlmutter-gpu", 4, "--transport", "one-sided"),
        headlines=_gpu_over_cpu({}),
        draw=draw.scaling(),
    ),
    *(
        PaperFigure(
            name=f"2018-fig{number}",
            title=f"messages and bytes of every rank on 64 x 64, {matrix.partition(':')[0]}",
            paper=f"CSC'18, Fig. {number}",
            machine="cori-haswell",
            matrices=(matrix,),
            grids=(Grid(64, 64, 1),),
            nrhs=(nrhs,),
            series=(FLAT, BINARY),
            headlines=(Headline(OF_TREES, FLAT.name, BINARY.name, {"": ratio}),),
            draw=draw.heat,
            time="l_seconds",
            keeps_ranks=True,
        )
        for number, matrix, nrhs, ratio in (
            (3, MAXWELL, 1, "84 / 26 ms = 3.2"),
            (4, CONVECTION, 50, "0.8 / 0.31 s = 2.6"),
        )
    ),
    PaperFigure(
        name="2018-fig6",
        title="strong scaling with flat and with binary trees",
        paper="CSC'18, Fig. 6",
        machine="cori-haswell",
        matrices=(KKT, ELASTICITY, CHEMISTRY),
        ranks=(16, 64, 256, 1024, 4096),
        nrhs=(1, 50),
        series=(FLAT, BINARY),
        headlines=(Headline(OF_TREES, FLAT.name, BINARY.name),),
        draw=draw.scaling("l_seconds"),
        time="l_seconds",
    ),
    PaperFigure(
        name="2018-fig7",
        title="flat and binary trees on 4,096 ranks, all matrices",
        paper="CSC'18, Fig. 7",
        machine="cori-haswell",
        matrices=(POISSON, KKT, CAGE, ELASTICITY, CONVECTION, FUSION, MAXWELL, CHEMISTRY),
        ranks=(4096,),
        nrhs=(1, 50),
        series=(FLAT, BINARY),
        headlines=(
            Headline(
                OF_TREES,
                FLAT.name,
                BINARY.name,
                {"s2d9": "not among its matrices", ":1": "1.7 to 4.4", ":50": "2.7 to 6.1"},
            ),
        ),
        draw=draw.matrices,
        time="l_seconds",
    ),
    PaperFigure(
        name="poster-speedup",
        title="one-sided and two-sided messages, 256 to 4,096 ranks",
        paper="poster",
        machine="cori-knl",
        matrices=(FUSION, KKT, ELASTICITY, MAXWELL, CONVECTION, CAGE),
        ranks=(256, 1024, 4096),
        series=tuple(
            Series(f"{transport}, {tree} trees", ("--transport", transport, "--tree", tree))
            for tree in ("flat", "binary")
            for transport in ("two-sided", "one-sided")
        ),
        headlines=tuple(
            Headline(
                f"two-sided / one-sided, {tree} trees",
                f"two-sided, {tree} trees",
                f"one-sided, {tree} trees",
                {"": "up to 2.2"},
            )
            for tree in ("flat", "binary")
        ),
        draw=draw.matrices,
    ),
    PaperFigure(
        name="better-plans",
        title="proportional mapping with inverted separators beside the proposed 3D algorithm",
        paper="beyond the papers",
        machine="cori-haswell",
        matrices=("s2d9:1024", "s2d9:2048", "poisson3d:64", "kkt3d:47"),
        ranks=(2, 8, 32, 128, 512, 2048),
        layers=(1, 2, 4, 8, 16, 32, 64),
        series=(
            *(
                Series(SINGLE_SYNC.format(transport), ("--tree", "auto", "--transport", transport))
                for transport in TRANSPORTS
            ),
            *(
                Series(
                    PROPORTIONAL.format(transport),
                    (
                        *("--mapping", "proportional", "--diagonal", "separators"),
                        *("--tree", "postal", "--transport", transport),
                    ),
                    layers=1,
                )
                for transport in TRANSPORTS
            ),
        ),
        headlines=tuple(
            Headline(
                f"single-sync, best Pz / proportional, {transport}",
                SINGLE_SYNC.format(transport),
                PROPORTIONAL.format(transport),
                best_layers=True,
            )
            for transport in TRANSPORTS
        ),
        draw=draw.scaling(),
        compares_memory=True,
    ),
)

EXPERIMENTS: tuple[Experiment, ...] = tuple(experiment(figure) for figure in FIGURES)
