"""`trisweep bench`: the papers' experiments, scaled to this machine (one file each), their figures as
predicted for the papers' machines (papers.py), and comparisons with other solvers."""

from trisweep.bench import (
    answer_peers,
    attribution,
    breakdown,
    component,
    dag_free,
    heatmap,
    hmatrix_charge,
    hmatrix_convergence,
    hmatrix_figures,
    hmatrix_precision,
    measured,
    papers,
    peers,
    pingpong,
    python_peers,
    refined_peers,
    schedules,
    simgrid,
    threads,
    trees,
)
from trisweep.bench.experiment import Experiment

EXPERIMENTS: dict[str, Experiment] = {
    one.name: one
    for one in (
        *(module.EXPERIMENT for module in (trees, schedules, threads, pingpong, dag_free, heatmap, breakdown, peers)),
        *(module.EXPERIMENT for module in (answer_peers, refined_peers, python_peers, simgrid, measured, attribution)),
        *(module.EXPERIMENT for module in (hmatrix_precision, hmatrix_charge)),
        *papers.EXPERIMENTS,
        *component.EXPERIMENTS,
        *hmatrix_convergence.EXPERIMENTS,
        *hmatrix_figures.EXPERIMENTS,
    )
}
