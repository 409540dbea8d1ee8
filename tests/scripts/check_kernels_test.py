"""scripts/check-kernels on what compilers print, within each bound and beyond it."""

import contextlib
import importlib.machinery
import importlib.util
import io
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check-kernels"

WHOLE, COMPRESSED = "double const*", "trisweep::device::Pieces<double>"
OCCUPANCY = """constexpr auto kernel_occupancy = std::to_array<KernelOccupancy>({
    {"SolveRows<double>", 49, 5},
});
"""


def workers(side, columns, peers="Direct", number="double"):
    return f"RunWorkers<{side}, {number}, trisweep::device::{peers}Peers<{number}>, {columns}>"


FENCES = {"sm_80": 34, "sm_90": 24}
HEAP_FENCES = {"sm_80": 18, "sm_90": 28}


class Kernel:
    """What a compiler made of one, fences by chip. By default within every bound."""

    def __init__(self, body, registers=64, stack=0, flushes=0, fences=None, products=0, constants=0):
        self.name = f"void trisweep::backend::run_body<trisweep::device::{body} >(trisweep::device::{body})"
        self.registers, self.stack, self.flushes, self.fences = registers, stack, flushes, fences or {}
        self.products, self.constants = products, constants

    def usage(self, _, more):
        registers = max(self.registers + more, 0)
        return f" Function {self.name}:\n  REG:{registers} STACK:{self.stack} SHARED:16384 LOCAL:0\n"

    def instructions(self, chip, _):
        return (f"\t\tFunction : {self.name}\n" + " /*0010*/  CCTL.IVALL ;\n" * self.flushes +
                " /*0018*/  MEMBAR.SC.GPU ;\n" * self.fences.get(chip, 0) +
                " /*0020*/  DMMA.884 R4, R8, R10, R4 ;\n" * self.products + " /*0030*/  LDG.E.64 R4, [R2] ;\n" +
                " /*0040*/  LDG.E.64.CONSTANT R4, [R2] ;\n" * self.constants)

    def notes(self):
        return (f"\n  - .agpr_count:     0\n    .name:           {self.name}\n"
                f"    .private_segment_fixed_size: {self.stack}\n    .vgpr_count:     {self.registers}\n")


def usual():
    """A kernel for each bound, at it."""
    return {
        "measures": Kernel(workers("NoPanels", 1), 128, flushes=22, fences=FENCES),
        "one": Kernel(workers(WHOLE, 1), 128, flushes=22, fences=FENCES),
        "several": Kernel(workers(WHOLE, 8), 128, flushes=22, fences=FENCES, products=1),
        "float": Kernel(workers("float const*", 8, number="float"), 128, flushes=22, fences=FENCES),
        "messages": Kernel("TakeMessages<double const*, double, trisweep::device::DirectPeers<double>>", 40, flushes=1,
                           fences={"sm_80": 2, "sm_90": 2}),
        "rows": Kernel("SolveRows<double>", 49, flushes=1, fences={"sm_80": 2, "sm_90": 2}),
        "batch": Kernel("RunBatch<double>", 80, flushes=1, fences={"sm_80": 2, "sm_90": 2}),
        "design": Kernel("RunDesign<double, ReadOnly>", 80, flushes=8, fences={"sm_80": 5, "sm_90": 5}),
        "complex design": Kernel("RunDesign<trisweep::backend::Complex<double>, ReadOnly>", 128, flushes=8, fences={"sm_80": 5, "sm_90": 5}),
        "other": Kernel("MoveVectors<double>", 128),
        "compressed one": Kernel(workers(COMPRESSED, 1), 128, flushes=22, fences=FENCES),
        "compressed several": Kernel(workers(COMPRESSED, 8), 128, stack=24, flushes=22, fences=FENCES, products=1),
    }


def usual_of_heap():
    return {
        "heap": Kernel(workers(WHOLE, 1, "Heap"), 128, stack=272, fences=HEAP_FENCES),
        "heap, compressed": Kernel(workers(COMPRESSED, 1, "Heap"), 128, stack=416, fences=HEAP_FENCES),
    }


class CheckKernels(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        root = pathlib.Path(folder.name)
        loader = importlib.machinery.SourceFileLoader("check_kernels", str(SCRIPT))
        self.script = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_kernels", loader))
        with mock.patch.object(sys, "dont_write_bytecode", True):
            loader.exec_module(self.script)
        self.script.BUILD, self.script.DOUBLE, self.script.OCCUPANCY = root / "whole", root / "double", root / "occupancy.hpp"
        self.script.OCCUPANCY.write_text(OCCUPANCY)
        self.ours = self.object("whole/trisweep_gpu.dir/worker.cu.o")
        self.heap = self.object("whole/trisweep_nvshmem.dir/cmake_device_link.o")
        self.amd = self.object("whole/worker.hip.o")

    def object(self, name):
        path = pathlib.Path(self.script.BUILD).parent / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        return str(path)

    def check(self, kernels, *arguments):
        """What it says of kernels by object, of NVIDIA's chips one has a register less."""
        def read(option, obj):
            text = Kernel.usage if option == "--dump-resource-usage" else Kernel.instructions
            return "".join(f"arch = {chip}\n" + "".join(text(made, chip, more) for made in kernels[obj])
                           for chip, more in (("sm_80", 0), ("sm_90", -1)))

        def notes_of(obj):
            yield "gfx90a", "".join(map(Kernel.notes, kernels[obj]))

        said = io.StringIO()
        with mock.patch.multiple(self.script, read=read, notes_of=notes_of), contextlib.redirect_stderr(said), \
                contextlib.redirect_stdout(io.StringIO()), mock.patch.object(sys, "argv", ["check-kernels", *arguments]):
            failed = self.script.main()
        self.assertEqual(failed, 1 if said.getvalue() else 0)
        return said.getvalue()

    def check_nvidia(self, *arguments, without=(), **changed):
        """Of the usual kernels, but for those that are left out or have other figures."""
        ours, heap = usual(), usual_of_heap()
        for name, figures in changed.items():
            vars((ours | heap)[name.replace("_", " ")]).update(figures)
        return self.check({obj: [made for name, made in of.items() if name not in without]
                           for obj, of in ((self.ours, ours), (self.heap, heap))}, *arguments)

    def test_accepts_what_is_at_the_bounds(self):
        self.assertEqual(self.check_nvidia(), "")

    def test_rejects_a_stack_which_spilled_registers_need(self):
        for name, usual_one in usual().items():
            most = usual_one.stack
            said = self.check_nvidia(**{name: {"stack": most + 8}})
            self.assertIn(f"check-kernels: sm_80: stack {most + 8}, more than {most}: ", said)
            self.assertIn(f"check-kernels: sm_90: stack {most + 8}, more than {most}: ", said)
            self.assertEqual(said.count("\n"), 2)

    def test_rejects_more_stack_than_functions_of_nvshmem_need(self):
        self.assertIn("stack 280, more than 272", self.check_nvidia(heap={"stack": 280}))
        self.assertIn("stack 424, more than 416", self.check_nvidia(**{"heap, compressed": {"stack": 424}}))

    def test_rejects_registers_that_leave_no_room_for_blocks(self):
        for name, registers, blocks, least in (("one", 168, 1, 2), ("several", 168, 1, 2), ("compressed one", 136, 1, 2),
                                               ("batch", 88, 2, 3), ("rows", 72, 3, 4), ("design", 88, 2, 3), ("measures", 136, 1, 2),
                                               ("float", 136, 1, 2), ("other", 136, 1, 2), ("heap", 136, 1, 2)):
            with self.subTest(name):
                self.assertIn(f"{registers} registers: {blocks} blocks of a processor, not {least}",
                              self.check_nvidia(**{name: {"registers": registers}}))

    def test_rejects_a_kernel_of_which_no_registers_are_told(self):
        self.assertIn("no registers are told of it", self.check_nvidia(other={"registers": 0}))

    def test_rejects_flushes_where_polls_acquire(self):
        for name, usual_one in usual().items():
            most = usual_one.flushes
            with self.subTest(name):
                self.assertIn(f"flushes {most + 1}, more than {most}", self.check_nvidia(**{name: {"flushes": most + 1}}))

    def test_rejects_a_fence_for_each_word_by_chip(self):
        for name, usual_one in (usual() | usual_of_heap()).items():
            for chip in ("sm_80", "sm_90"):
                most = usual_one.fences.get(chip, 0)
                with self.subTest(name, chip=chip):
                    said = self.check_nvidia(**{name: {"fences": usual_one.fences | {chip: most + 1}}})
                    self.assertIn(f"check-kernels: {chip}: fences {most + 1}, more than {most}: ", said)
                    self.assertEqual(said.count("\n"), 1)

    def test_rejects_loads_that_are_not_coherent_but_those_of_nvshmem(self):
        for name in usual():
            with self.subTest(name):
                self.assertIn("constants 1, more than 0", self.check_nvidia(**{name: {"constants": 1}}))
        self.assertEqual(self.check_nvidia(heap={"constants": 20}), "")

    def test_rejects_products_that_are_not_those_of_tensor_cores_or_should_not_be(self):
        for name in ("several", "compressed several"):
            self.assertIn("0 products of tensor cores", self.check_nvidia(**{name: {"products": 0}}))
        for name in usual() | usual_of_heap():
            if name.endswith("several"):
                continue
            with self.subTest(name):
                self.assertIn("1 products of tensor cores", self.check_nvidia(**{name: {"products": 1}}))

    def test_rejects_a_bound_that_no_kernel_is_held_to(self):
        for name in usual():
            if name not in ("one", "measures", "compressed one"):  # which are held to the same
                with self.subTest(name):
                    self.assertIn("no kernel", self.check_nvidia(without=[name, "heap"]))
        self.assertIn("no kernel", self.check_nvidia(without=usual_of_heap()))
        self.assertIn("no kernels; scripts/build", self.check_nvidia(without=usual() | usual_of_heap()))

    def test_holds_what_models_read_to_the_compiler_and_writes_it(self):
        fewer = {"rows": {"registers": 40}}
        self.assertIn('{"SolveRows<double>", 40, 6}', self.check_nvidia(**fewer))
        self.assertEqual(self.check_nvidia("--write", **fewer), "")
        self.assertIn('{"SolveRows<double>", 40, 6}', self.script.OCCUPANCY.read_text())
        self.assertEqual(self.check_nvidia(**fewer), "")

    def test_objects_by_name_are_held_to_the_bounds_alone(self):
        self.assertEqual(self.check({self.ours: [usual()["several"]]}, self.ours), "")
        self.assertIn("stack 8, more than 0", self.check({self.ours: [Kernel("RunBatch<float>", stack=8)]}, self.ours))

    def test_of_double_precision_and_one_chip(self):
        def check(without=(), **changed):
            ours = usual()
            del ours["float"]
            for name, figures in changed.items():
                vars(ours[name]).update(figures)
            objects = {self.object("double/trisweep_gpu.dir/worker.cu.o"): [ours[name] for name in ours if name not in without],
                       self.object("double/trisweep_nvshmem.dir/cmake_device_link.o"): usual_of_heap().values()}
            return self.check(objects, "--double")

        self.assertEqual(check(), "")
        self.assertEqual(check(rows={"registers": 40}), "")  # another chip may need more
        self.assertIn('{"SolveRows<double>", 56, 4}', check(rows={"registers": 56}))
        self.assertIn("stack 8, more than 0", check(batch={"stack": 8}))
        self.assertIn("no kernel", check(without=["batch"]))

    def test_of_amd_stack_and_registers(self):
        def check(**changed):
            kernels = {"compressed one": Kernel(workers(COMPRESSED, 1), 168), "one": Kernel(workers(WHOLE, 1), 128),
                       "other": Kernel("RunBatch<double>", 256)}
            for name, figures in changed.items():
                vars(kernels[name]).update(figures)
            return self.check({self.amd: kernels.values()}, "--hip")

        self.assertEqual(check(), "")
        for name in ("one", "compressed one", "other"):
            self.assertIn("gfx90a: stack 4, more than 0", check(**{name: {"stack": 4}}))
            self.assertIn("264 registers: 1 blocks of a processor, not 2", check(**{name: {"registers": 264}}))


if __name__ == "__main__":
    unittest.main()
