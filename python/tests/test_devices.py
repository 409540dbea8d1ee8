"""Solvers that compute as GPUs do, and vectors that come by DLPack: in the memory of the device `host`, as NumPy's."""

import ctypes
import unittest

import numpy as np
from test_splu import DTYPES, OPS, random_matrix, random_vectors

import trisweep

CUDA = 2  # as DLPack counts kinds of memory


class Theirs:
    """An array of another library, which has DLPack and nothing else: NumPy's own, said to lie in any memory."""

    def __init__(self, array, memory=1, number=0):
        self.array, self.place = array, (memory, number)

    def __dlpack_device__(self):
        return self.place

    def __dlpack__(self, **_):
        capsule = self.array.__dlpack__()
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
        # DLTensor: the address, then the device's kind and number.
        place = pointer(capsule, b"dltensor") + ctypes.sizeof(ctypes.c_void_p)
        (ctypes.c_int32 * 2).from_address(place)[:] = self.place
        return capsule


class NumpysOwn(Theirs):
    """As an array of a library that has from_dlpack."""


NumpysOwn.__module__ = "numpy.of_the_device"


class Devices(unittest.TestCase):
    def test_solve_where_vectors_are(self):
        for dtype in DTYPES:
            a = random_matrix(dtype=dtype)
            lu = trisweep.splu(a, device="emulated")
            self.assertEqual(lu.device, "emulated")
            whole = np.asfortranarray(random_vectors((60, 8), dtype))
            for trans, op in OPS.items():
                for b in (whole[:, 0], whole[:, :1], whole[:, ::2], whole[:, :0]):
                    with self.subTest((dtype, trans, b.shape)):
                        x = np.from_dlpack(lu.solve(Theirs(b), trans))
                        self.assertEqual((x.shape, x.dtype), (b.shape, b.dtype))
                        np.testing.assert_array_equal(x, lu.solve(b, trans))
                        expected = np.linalg.solve(op(a).toarray(), b)
                        np.testing.assert_allclose(x, expected, rtol=0, atol=1e3 * np.finfo(dtype).eps)

    def test_answer_in_the_library_that_asks(self):
        lu, b = trisweep.splu(random_matrix(), device="emulated"), np.ones(60)
        x = lu.solve(NumpysOwn(b))
        self.assertIs(type(x), np.ndarray)
        del lu
        np.testing.assert_array_equal(x, trisweep.splu(random_matrix(), device="emulated").solve(b))

    def test_refuse_what_does_not_fit(self):
        lu = trisweep.splu(random_matrix(), device="emulated")
        for b, error, text in (
            (np.ones(59), ValueError, "60 rows"),
            (np.ones((60, 1, 1)), ValueError, "60 rows"),
            (np.ones((60, 2)), ValueError, "Fortran order"),
            (np.ones(120)[::2], ValueError, "Fortran order"),
            (np.ones(60, np.float32), TypeError, "dtype"),
            (np.full(60, np.nan), ValueError, "row 0, column 0"),
        ):
            with self.subTest((b.shape, b.dtype)), self.assertRaisesRegex(error, text):
                lu.solve(Theirs(b))
        np.testing.assert_array_equal(np.from_dlpack(lu.solve(Theirs(np.ones(60)))), lu.solve(np.ones(60)))

    def test_refuse_other_memory(self):
        b = np.ones(60)
        with self.assertRaisesRegex(ValueError, "device=..."):
            trisweep.splu(random_matrix()).solve(Theirs(b, CUDA))
        for memory, number in ((CUDA, 0), (1, 1)):
            with self.assertRaisesRegex(ValueError, "not in the memory of the solver's device"):
                trisweep.splu(random_matrix(), device="emulated").solve(Theirs(b, memory, number))

    def test_refuse_devices_that_are_not_there(self):
        with self.assertRaisesRegex(ValueError, "native, emulated, cuda, hip"):
            trisweep.splu(random_matrix(), device="abacus")
        for device in ("cuda", "hip"):
            try:
                trisweep.splu(random_matrix(), device=device)
            except RuntimeError as error:
                self.assertRegex(str(error), f"scripts/build --{device}|no GPU")


if __name__ == "__main__":
    unittest.main()
