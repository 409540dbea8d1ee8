"""Dense matrices of smooth kernels as H-matrices."""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from scipy.sparse.linalg import LinearOperator

from trisweep import _core
from trisweep.arrays import in_columns
from trisweep.options import number_of_threads, real_number, whole_number

Kernel = Callable[[NDArray | int, NDArray | int], ArrayLike]


class HMatrix(LinearOperator):
    """Products with a dense matrix in O(n log n) memory and time; made by `trisweep.hmatrix`.

    It is a LinearOperator, so that SciPy's solvers and `trisweep.gmres` accept it. In one process.
    """

    def __init__(self, compiled: object, fill: Callable[..., None], dtype: np.dtype, n: int) -> None:
        super().__init__(dtype, (n, n))
        self._matrix = compiled
        self._fill = fill
        self._order = compiled.order()
        self.nbytes: int = compiled.bytes

    def sampled_error(self, rows: int = 100) -> float:
        """Estimates the relative error of products with this H-matrix H of the kernel's matrix A.

        It is ||(A - H) x|| / ||A||_F over `rows` rows spread over the matrix (all, if it has fewer), with an
        x of fixed random signs: its expectation is the relative error in the Frobenius norm, which `eps`
        sets. It costs `rows` calls of the kernel, for n entries each, and one product. Errors in rows that
        are not sampled do not show. Raises ValueError when `rows` is not positive, and what the kernel
        raises.
        """
        rows = whole_number("rows", rows)
        if rows < 1:
            raise ValueError(f"rows {rows}: give a positive number")
        return self._matrix.sampled_error(self._fill, min(rows, self.shape[0]))

    def _matvec(self, x: NDArray) -> NDArray:
        return self._apply(x, "N")

    def _rmatvec(self, x: NDArray) -> NDArray:
        return self._apply(x, "H")

    def _matmat(self, x: NDArray) -> NDArray:
        return self._apply(x, "N")

    def _rmatmat(self, x: NDArray) -> NDArray:
        return self._apply(x, "H")

    def _apply(self, x: NDArray, op: str) -> NDArray:
        x = np.asarray(x)
        if x.dtype.kind == "c" and self.dtype.kind != "c":
            return self._apply(x.real, op) + 1j * self._apply(x.imag, op)
        ordered = in_columns(x[self._order], self.dtype)
        y = np.empty(ordered.shape, self.dtype, order="F")
        if y.size > 0:
            self._matrix.apply(ordered, y, op)
        result = np.empty_like(y)
        result[self._order] = y
        return result


def hmatrix(
    points: ArrayLike,
    kernel: Kernel,
    *,
    eps: float = 1e-6,
    dtype: DTypeLike = np.float64,
    leaf_size: int = 32,
    eta: float = 2.0,
    threads: int | None = None,
) -> HMatrix:
    """Compresses the n x n matrix with the entries `kernel(i, j)` at n points of a line, a plane or space.

    `points` has a row of coordinates for each point. One of i and j is an array of indices, the other one
    index, and the kernel returns the entries for all of them, in `dtype`. Compression saves memory if the
    kernel is smooth for distant points i and j. Threads of the library call the kernel. `eps` is the relative
    error of each block, estimated from samples of its rows, columns and entries: jumps or kinks of the kernel
    that affect few entries of a block may cause larger errors; check with `sampled_error()`. A block is
    low-rank if the smaller cluster's diameter is at most `eta` times the distance of the clusters. Leaf
    clusters have at most `leaf_size` points. `threads` is the number of threads; None: one per processor.

    Raises ValueError when points are not finite or an option is out of range, and what the kernel raises.

    >>> import numpy as np, trisweep
    >>> points = np.random.default_rng(1).random((500, 2))
    >>> def kernel(i, j):
    ...     return np.exp(-np.linalg.norm(points[i] - points[j], axis=-1)) + np.equal(i, j)
    >>> h = trisweep.hmatrix(points, kernel)
    >>> x, info = trisweep.gmres(h, np.ones(500), rtol=1e-8)
    >>> bool(np.linalg.norm(h @ x - 1) < 1e-6), info
    (True, 0)
    """
    places = np.asarray(points, np.float64)
    if places.ndim != 2 or not 1 <= places.shape[1] <= 3 or len(places) == 0 or not np.isfinite(places).all():
        raise ValueError(f"points of the shape {places.shape}: a row of one to three finite coordinates is needed each")
    dtype = np.dtype(dtype)
    if dtype.name not in _core.hmatrices:
        raise TypeError(f"dtype is {dtype}: H-matrices are of {', '.join(_core.hmatrices)}")
    eps, eta, leaf_size = real_number("eps", eps), real_number("eta", eta), whole_number("leaf_size", leaf_size)
    if not 0 <= eps < 1 or leaf_size < 1 or not eta > 0:
        raise ValueError(f"eps {eps}, leaf_size {leaf_size}, eta {eta}: give 0 <= eps < 1, and positive others")
    threads = os.cpu_count() if threads is None else number_of_threads(threads, least=1)
    settings = {"eps": eps, "leaf_size": min(leaf_size, len(places)), "eta": eta, "threads": threads}
    in_space = np.zeros((len(places), 3))
    in_space[:, : places.shape[1]] = places

    def fill(i: NDArray | int, j: NDArray | int, out: NDArray) -> None:
        i, j = (np.copy(k) if isinstance(k, np.ndarray) else k for k in (i, j))  # the kernel may keep them
        try:
            entries = np.asarray(kernel(i, j))
            if entries.dtype.kind == "c" and dtype.kind != "c":
                raise TypeError(
                    f"the kernel's entries are complex, and the H-matrix of {dtype}: choose a complex dtype"
                )
            out[:] = entries
        finally:
            del out  # the H-matrix's memory, which a traceback would outlive

    return HMatrix(_core.hmatrices[dtype.name](in_space, fill, settings), fill, dtype, len(places))
