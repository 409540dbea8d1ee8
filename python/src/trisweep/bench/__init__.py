"""`trisweep bench`: the papers' experiments and the peers, at the size of this machine. One file is one experiment."""

from trisweep.bench import breakdown, dag_free, heatmap, peers, pingpong, schedules, threads, trees
from trisweep.bench.experiment import Experiment

EXPERIMENTS: dict[str, Experiment] = {
    module.EXPERIMENT.name: module.EXPERIMENT
    for module in (trees, schedules, threads, pingpong, dag_free, heatmap, breakdown, peers)
}
