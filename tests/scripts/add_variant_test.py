"""A tree, a schedule, a mapping, a transport and a machine, each added to a scratch copy as docs/extending.md says: one
new file, and its row in a table. Everything that has choices then has these, and solves with them.

The copy takes over the objects of the build folder: what is compiled here are the stages of the new files alone, which is
checked, too. It stays in the build folder for the next time.
"""
import json
import os
import re
import shutil
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("TRISWEEP_BINARY", ROOT / "build" / "trisweep")).parent
MPIRUN = os.environ.get("TRISWEEP_MPIRUN", str(ROOT / "scripts" / "mpirun"))
SCRATCH = BUILD / "add-variant"
SOURCE, OBJECTS = SCRATCH / "tree", SCRATCH / "build"
TARGETS = ("trisweep_cli", "test_solve_mpi")
RANKS = 6

# By new file: its text, the table, and the texts before which its declaration and its row go there.
STAGES = "src/trisweep"
VARIANTS = {
    "plan/ternary_tree.cpp": ("""
#include <algorithm>

#include "trisweep/plan/tree.hpp"

namespace trisweep::plan {

TreeNode ternary_tree(Index position, Index members) {
  return {.parent = position == 0 ? -1 : (position - 1) / 3,
          .first_child = std::min(3 * position + 1, members),
          .last_child = std::min(3 * position + 4, members)};
}

}  // namespace trisweep::plan
""", "plan/variants.cpp", {
        "namespace {\n": "TreeFunction ternary_tree;\n",
        '    {"auto", auto_tree},\n': '    {"ternary", ternary_tree},\n',
    }),
    "plan/flat_return.cpp": ("""
#include "trisweep/plan/schedule.hpp"

namespace trisweep::plan {

std::vector<PhaseSpec> flat_return(const symbolic::Structure& structure, const distribution::Mapping& mapping,
                                   Index layer, const PlanSpec& spec) {
  std::vector<PhaseSpec> phases = single_sync(structure, mapping, layer, spec);
  std::get<SweepSpec>(phases.back()).tree = flat_tree;
  return phases;
}

}  // namespace trisweep::plan
""", "plan/variants.cpp", {
        "namespace {\n": "ScheduleFunction flat_return;\n",
        '    {.name = "level-sync"': '    {.name = "flat-return", .choice = flat_return, .exchanges = true},\n',
    }),
    "distribution/shifted.cpp": ("""
#include "trisweep/distribution/mapping.hpp"

namespace trisweep::distribution {
namespace {

// Block-cyclic, one rank further in each layer.
class Shifted final : public Mapping {
 public:
  Shifted(const symbolic::Structure& structure, const ProcessGrid& grid)
      : inner_(block_cyclic(structure, grid)), of_layer_(grid.px * grid.py) {}

  Index ranks() const override { return inner_->ranks(); }
  Index layers() const override { return inner_->layers(); }
  Index layer_of_rank(Index rank) const override { return inner_->layer_of_rank(rank); }
  LayerRange layers_of(Index k) const override { return inner_->layers_of(k); }
  Index owner(Index layer, Side side, Index i, Index k) const override {
    const Index rank = inner_->owner(layer, side, i, k);
    return rank / of_layer_ * of_layer_ + (rank + 1) % of_layer_;
  }

 private:
  std::unique_ptr<Mapping> inner_;
  Index of_layer_;
};

}  // namespace

std::unique_ptr<Mapping> shifted(const symbolic::Structure& structure, const ProcessGrid& grid) {
  return std::make_unique<Shifted>(structure, grid);
}

}  // namespace trisweep::distribution
""", "distribution/mappings.cpp", {
        "namespace {\n": "MappingFunction shifted;\n",
        '    {"block-cyclic"': '    {"shifted", shifted, block_cyclic_sides, layers},\n',
    }),
    "mpi/relayed.cpp": ("""
#include "trisweep/mpi/two_sided.hpp"

namespace trisweep::mpi {
namespace {

class Relayed final : public TwoSided {
 public:
  using TwoSided::TwoSided;
};

}  // namespace

std::unique_ptr<Transport> relayed(const Communicator& comm, const CommunicationPattern& pattern) {
  return make_collective<Relayed>(comm, pattern);
}

}  // namespace trisweep::mpi
""", "mpi/transports.cpp", {
        "namespace {\n": "TransportFunction relayed;\n",
        '    {.name = "shared"': '    {.name = "relayed", .make = relayed},\n',
    }),
    "model/machines/laptop.cpp": ("""
#include "trisweep/model/machines/figures.hpp"

namespace trisweep::model {

Machine laptop() {
  return {.name = "laptop",
          .device = "cpu",
          .ranks_per_node = 8,
          .ranks_per_memory = 8,
          .worker_bandwidth = 12 * gb,
          .memory_bandwidth = 40 * gb,
          .worker_flops = 8 * gflop,
          .two_sided = {.inside = {0.3 * us, 8 * gb, 0.2 * us, 0.2 * us}},
          .sources = {{"everything", "an example"}}};
}

}  // namespace trisweep::model
""", "model/machines.cpp", {
        "\nstd::span<const Machine> machines": "MachineFunction laptop;\n",
        "      generic(),": "      laptop(),\n",
    }),
}
WORDS = ("ternary", "flat-return", "shifted", "relayed")
OPTIONS = ("--tree", "ternary", "--schedule", "flat-return", "--mapping", "shifted", "--transport", "relayed")


def call(*command, timeout=600, **environment):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=timeout,
                            cwd=SCRATCH, env={**os.environ, **environment})
    if result.returncode != 0:
        raise AssertionError(f"{command}: exit status {result.returncode}\n{result.stdout}\n{result.stderr}")
    return result.stdout


def copy_tree():
    """The tracked files as they are now, and the five variants. Files that stay the same keep their time."""
    names = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                           capture_output=True, text=True).stdout.splitlines()
    texts = {name: (ROOT / name).read_bytes() for name in names if (ROOT / name).is_file()}
    changed = set()
    for name, (text, table, lines) in VARIANTS.items():
        name, table = f"{STAGES}/{name}", f"{STAGES}/{table}"
        texts[name] = text.lstrip().encode()
        for anchor, line in lines.items():
            before, found, after = texts[table].decode().partition(anchor)
            assert found, f"{table} has no {anchor!r}"
            texts[table] = (before + line + anchor + after).encode()
        changed |= {name, table}
    for name, text in texts.items():
        path = SOURCE / name
        if path.exists() and path.read_bytes() == text:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)
        if (ROOT / name).exists():
            shutil.copymode(ROOT / name, path)
    for path in SOURCE.rglob("*"):
        if path.is_file() and str(path.relative_to(SOURCE)) not in texts:
            path.unlink()
    return changed


def configure():
    """As the build folder is configured, but for make: it compares times alone, and takes objects from elsewhere, also
    where what is compiled anew is optimized less."""
    kept = re.compile(r"(CMAKE_BUILD_TYPE|CMAKE_CXX_COMPILER|CMAKE_CXX_COMPILER_LAUNCHER|CMAKE_CXX_FLAGS\w*"
                      r"|CMAKE_UNITY_BUILD\w*|MPI_EXECUTABLE_SUFFIX|TRISWEEP_\w*):(\w+)=(.*)")
    cache = (BUILD / "CMakeCache.txt").read_text().splitlines()
    settings = [f"-D{m[1]}:{m[2]}={m[3]}" for m in map(kept.fullmatch, cache) if m]
    settings = [re.sub("-O[23]", "-O1", setting) for setting in settings]
    call("cmake", "-S", SOURCE, "-B", OBJECTS, "-G", "Unix Makefiles", *settings)


def targets_of(changed):
    """The stages of these sources: several of their files may be compiled as one."""
    return {f"trisweep_{Path(name).relative_to(STAGES).parts[0]}" for name in changed}


def target_of(path):
    return next((part.removesuffix(".dir") for part in Path(path).parts if part.endswith(".dir")), "")


def take_objects(changed):
    """All but those of the stages that changed, which are compiled anew."""
    stale = targets_of(changed)
    for path in (*BUILD.rglob("*.gch"), *BUILD.rglob("*.o")):  # precompiled headers are older than what they are in
        name = path.relative_to(BUILD)
        if name.parts[0] == SCRATCH.name or target_of(name) in stale:
            continue
        (OBJECTS / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, OBJECTS / name)


def build():
    """Returns of which targets something was compiled."""
    lines = call("cmake", "--build", OBJECTS, "--target", *TARGETS, "--parallel", os.cpu_count()).splitlines()
    return {target_of(line.split()[-1]) for line in lines if "Building CXX object" in line}


class AddVariant(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        SCRATCH.mkdir(exist_ok=True)
        call("cmake", "--build", BUILD, "--target", *TARGETS)
        cls.changed = copy_tree()
        configure()
        take_objects(cls.changed)
        cls.compiled = build()
        cls.trisweep("gallery", "convection3d", "--n", 7, "-o", "a.mtx")

    @staticmethod
    def trisweep(*arguments, ranks=0):
        launcher = (MPIRUN, "-n", ranks) if ranks else ()
        return call(*launcher, OBJECTS / "trisweep", *arguments)

    def record(self):
        return json.loads((SCRATCH / "record.json").read_text())

    def expect_plan(self, plan):
        found = {"--tree": plan["tree"], "--schedule": plan["schedule"], "--mapping": plan["mapping"],
                 "--transport": plan["transport"]}
        self.assertEqual(found, dict(zip(OPTIONS[::2], OPTIONS[1::2])))

    def test_nothing_else_is_compiled(self):
        self.assertLessEqual(self.compiled, targets_of(self.changed))

    def test_help_lists_them(self):
        for command in ("solve", "predict", "tune", "plan"):
            text = self.trisweep(command, "--help")
            for word in WORDS:
                self.assertIn(word, text, command)

    def test_the_machine_is_described(self):
        self.assertIn("\nlaptop (cpu)\n", self.trisweep("machines"))
        self.assertIn("an example", self.trisweep("machines", "laptop"))

    def test_the_model_prices_them(self):
        self.trisweep("predict", "a.mtx", "--machine", "laptop", "--grid", "1x3x2", *OPTIONS, "--json", "record.json")
        self.expect_plan(self.record()["plan"])
        self.assertGreater(self.record()["solve"]["seconds_min"], 0)

    def test_the_tuner_tries_them(self):
        self.trisweep("tune", "a.mtx", "--machine", "laptop", "--ranks", RANKS, *OPTIONS, "--json", "record.json")
        self.expect_plan(self.record()["plan"])
        self.trisweep("tune", "a.mtx", "--machine", "laptop", "--ranks", RANKS, "--exhaustive", "--json", "record.json")
        self.assertTrue(self.record()["tune"])

    def test_a_solve_runs_with_them(self):
        self.trisweep("solve", "a.mtx", "--grid", "1x3x2", *OPTIONS, "--json", "record.json", ranks=RANKS)
        self.expect_plan(self.record()["plan"])
        self.assertLess(self.record()["solve"]["componentwise_backward_error"], 1e-13)

    def test_the_variants_test_has_them(self):
        program = next(OBJECTS.glob("tests/test_solve_mpi"))
        for word in WORDS:
            call(MPIRUN, "-n", RANKS, program, "--gtest_filter=Variants/0.*", TRISWEEP_VARIANTS=f" {word}",
                 TRISWEEP_TEST_RANKS=str(RANKS))


if __name__ == "__main__":
    unittest.main()
