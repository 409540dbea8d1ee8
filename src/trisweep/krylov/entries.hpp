#pragma once
// Elementwise operations on distributed vectors by all threads, column by column.

#include <ranges>

#include "trisweep/core/thread_pool.hpp"
#include "trisweep/core/vectors.hpp"

namespace trisweep::krylov {

// Indices of all columns of v.
template <class T>
auto columns_of(Vectors<T> v) {
  return std::views::iota(Index{0}, v.cols);
}

// Calls work(thread, c, part) for every thread's part of the rows and each c of `columns`.
template <class Columns, class Work>
void for_each_part(ThreadPool& pool, Index rows, const Columns& columns, const Work& work) {
  constexpr std::size_t line = 64;
  pool.run([&](int thread) {
    const ThreadPool::Part part = pool.part(thread, usize(rows), line);
    for (const Index c : columns) work(thread, c, part);
  });
}

// to(i, c) = make(c, from(i, c)...) for the part's rows i.
template <class To, class Make, class... From>
void assign_part(ThreadPool::Part part, Index c, Vectors<To> to, const Make& make, Vectors<From>... from) {
  To* const out = to.column(c);
  [&](const From*... in) {
    for (std::size_t i = part.begin; i < part.end; ++i) out[i] = make(c, in[i]...);
  }(from.column(c)...);
}

// The same for all rows i and each c of `columns`.
template <class Columns, class To, class Make, class... From>
void assign(ThreadPool& pool, const Columns& columns, Vectors<To> to, const Make& make,
            Vectors<From>... from) {
  for_each_part(pool, to.rows, columns,
                [&](int, Index c, ThreadPool::Part part) { assign_part(part, c, to, make, from...); });
}

}  // namespace trisweep::krylov
