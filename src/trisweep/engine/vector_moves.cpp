#include "trisweep/engine/vector_moves.hpp"

#include <algorithm>

#include "trisweep/kernels/line.hpp"

namespace trisweep::engine {
namespace {

// Which rows are moved: the caller's row[i] to or from the permuted row at(i), which is all its right-hand
// sides, times scale[row[i]] (null: 1).
template <class Real, class At>
struct Rows {
  std::span<const Index> row;
  const Real* scale;
  At at;

  Real factor(std::size_t i) const { return scale == nullptr ? Real{1} : scale[usize(row[i])]; }
};

// What becomes of an entry of the caller's and its permuted one; and of a line of all columns.
template <class T>
struct Load {
  void operator()(const T& from, T& to, RealOf<T> factor) const { to = from * factor; }
  void operator()(const T* column, Offset ld, const kernels::LineRows<T>& rows) const {
    kernels::load_line(column, ld, rows);
  }
};
template <class T>
struct Store {
  void operator()(T& to, const T& from, RealOf<T> factor) const { to = from * factor; }
  void operator()(T* column, Offset ld, const kernels::LineRows<T>& rows) const {
    kernels::store_line(column, ld, rows);
  }
};

// Rows [begin, end) of one column. The permuted rows lie anywhere, and are fetched early.
template <class T, class R, class Transfer>
void move_column(T* column, const R& rows, std::size_t begin, std::size_t end, const Transfer& transfer) {
  constexpr std::size_t ahead = 128;
  for (std::size_t i = begin; i < end; ++i) {
    __builtin_prefetch(rows.at(std::min(i + ahead, end - 1)), std::is_const_v<T>);
    transfer(column[rows.row[i]], *rows.at(i), rows.factor(i));
  }
}

// Rows [begin, end) of all columns, whole lines where rows are consecutive.
template <class T, class R, class Transfer>
void move_columns(Vectors<T> caller, const R& rows, std::size_t begin, std::size_t end,
                  const Transfer& transfer) {
  using V = std::remove_const_t<T>;
  constexpr std::size_t together = kernels::line_rows<V>;
  kernels::LineRows<V> line{.row = {}, .factor = {}, .nrhs = caller.cols};
  for (std::size_t first = begin; first < end; first += together) {
    const std::size_t count = std::min(together, end - first);
    const Index* const row = rows.row.data() + first;
    bool consecutive = count == together;
    for (std::size_t i = 0; i < count; ++i) {
      consecutive &= row[i] == row[0] + static_cast<Index>(i);
      line.row[i] = rows.at(first + i);
      line.factor[i] = rows.factor(first + i);
    }
    if (consecutive) {
      transfer(caller.data + row[0], caller.ld, line);
      continue;
    }
    for (Index r = 0; r < caller.cols; ++r) {
      T* const column = caller.data + r * caller.ld;
      for (std::size_t i = 0; i < count; ++i) transfer(column[row[i]], line.row[i][r], line.factor[i]);
    }
  }
}

// Moves all entries; each thread has a part of the rows.
template <class T, class R, class Transfer>
void move_rows(Crew& crew, Vectors<T> caller, const R& rows, const Transfer& transfer) {
  crew.run([&](int thread) {
    const auto [begin, end] = crew.part(thread, rows.row.size(), kernels::line_rows<std::remove_const_t<T>>);
    if (caller.cols == 1) {
      move_column(caller.data, rows, begin, end, transfer);
    } else {
      move_columns(caller, rows, begin, end, transfer);
    }
  });
}

}  // namespace

template <Scalar T>
template <class At>
void VectorMoves<T>::at_caller(std::span<const Index> row, const At& at) const {
  using Real = RealOf<T>;
  if (way_ == plan::VectorWay::in) {
    move_rows(crew_, vectors_.b, Rows<Real, At>{row, vectors_.b_scale, at}, Load<T>());
  } else {
    move_rows(crew_, vectors_.x, Rows<Real, At>{row, vectors_.x_scale, at}, Store<T>());
  }
}

template <Scalar T>
void VectorMoves<T>::keep(std::span<const Index> caller, std::span<const plan::WorkRow> work) const {
  at_caller(caller, [&](std::size_t i) { return work_.at(work[i].value()); });
}

template <Scalar T>
void VectorMoves<T>::pack(std::span<const Index> row, T* message) const {
  const Index nrhs = work_.nrhs;
  if (way_ == plan::VectorWay::in)
    return at_caller(row, [&](std::size_t i) { return message + i * usize(nrhs); });
  for (const Index r : row) message = std::copy_n(work_.at(r), nrhs, message);
}

template <Scalar T>
void VectorMoves<T>::unpack(std::span<const Index> row, T* message) const {
  const Index nrhs = work_.nrhs;
  if (way_ == plan::VectorWay::out)
    return at_caller(row, [&](std::size_t i) { return message + i * usize(nrhs); });
  for (const Index r : row) {
    std::copy_n(message, nrhs, work_.at(r));
    message += nrhs;
  }
}

#define INSTANTIATE(T) template class VectorMoves<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::engine
