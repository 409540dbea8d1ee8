"""Systems made up at random (random_systems.py), each solved by all ranks."""

import sys
from pathlib import Path

from systems import COMM

sys.path.insert(0, str(Path(__file__).parents[1]))
import random_systems

SINGULAR = [random_systems.SINGULAR_SEEDS + seed for seed in range(20)]
BAD_SCALE = 49  # of the factors of several ranks, in which unknowns are small that are none
assert BAD_SCALE in range(60)
for seed in [*range(60), *SINGULAR]:
    said = random_systems.complaint(seed, {"comm": COMM})
    assert not said, f"{seed} ({random_systems.make_system(seed).name}): {said}"
