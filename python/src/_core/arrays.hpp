#pragma once
// Conversion between NumPy arrays and the library's matrices and vectors.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <tuple>
#include <utility>
#include <vector>

#include "trisweep/core/vectors.hpp"
#include "trisweep/solve/block_rows.hpp"

namespace trisweep::python {

namespace nb = nanobind;

template <class T>
using List = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
// A vector, or a matrix of contiguous columns.
template <class T>
using Columns = nb::ndarray<T, nb::device::cpu>;

template <class T>
std::vector<T> copy(const List<T>& list) {
  return {list.data(), list.data() + list.size()};
}

// This rank's rows, from System.take_block(): indptr, indices, data, number of columns, row numbers.
template <Scalar T>
using Rows = std::tuple<List<Offset>, List<Index>, List<T>, Index, List<Index>>;

template <Scalar T>
solve::BlockRows<T> block_rows(const Rows<T>& rows) {
  const auto& [row_ptr, col, value, cols, number] = rows;
  return {.a = {.pattern = {.rows = static_cast<Index>(row_ptr.size() - 1),
                            .cols = cols,
                            .row_ptr = copy(row_ptr),
                            .col = copy(col)},
                .value = copy(value)},
          .number = copy(number)};
}

// The fields of solve::ExplicitFactors.
template <Scalar T>
using Lu = std::tuple<Rows<T>, Rows<T>, List<Index>, List<Index>, List<double>, List<double>>;

template <class T>
Vectors<T> view(const Columns<T>& array) {
  const auto rows = static_cast<Index>(array.shape(0));
  if (array.ndim() == 1 || array.shape(1) == 1) return {array.data(), rows, 1};
  return {array.data(), rows, static_cast<Index>(array.shape(1)), array.stride(1)};
}

// Moves the values into a NumPy array, which owns them.
template <class V>
auto as_array(std::vector<V>& values) {
  auto* const kept = new std::vector<V>(std::move(values));
  const nb::capsule owner(kept, [](void* memory) noexcept { delete static_cast<std::vector<V>*>(memory); });
  return nb::ndarray<nb::numpy, V, nb::ndim<1>>(kept->data(), {kept->size()}, owner);
}

template <Scalar T>
nb::tuple as_arrays(matrix::Csr<T>& a) {
  return nb::make_tuple(as_array(a.pattern.row_ptr), as_array(a.pattern.col), as_array(a.value));
}

}  // namespace trisweep::python
