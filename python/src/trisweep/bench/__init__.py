"""`trisweep bench`: the experiments of the papers, at the size of this machine (one file is one experiment), and their
figures at the size of the papers' machines, predicted (papers.py); and the peers."""

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
