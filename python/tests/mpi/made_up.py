"""Systems made up at random (random_systems.py), each solved by all ranks."""

import sys
from pathlib import Path

from systems import COMM

sys.path.insert(0, str(Path(__file__).parents[1]))
import random_systems

# Among them 49: factors of several ranks are scaled so badly that ordinary unknowns look small.
REGULAR = range(60)
SINGULAR = range(random_systems.SINGULAR_SEEDS, random_systems.SINGULAR_SEEDS + 20)

for seed in [*REGULAR, *SINGULAR]:
    said = random_systems.complaint(seed, {"comm": COMM})
    assert not said, f"{seed} ({random_systems.make_system(seed).name}): {said}"
