#pragma once
// Adaptive cross approximation: a block as a sum of outer products of its residual's columns and rows, of
// which few are ever computed.
//
// `aca`: partial pivoting (Bebendorf 2000). The next row is where the last column was largest: cheap, and
// blind to what no pivot has touched. `aca_plus` (Grasedyck, see Boerm, Grasedyck, Hackbusch 2003, section
// 4.4): pivots are where a reference row and a reference column, which follow the residual, are largest; it
// ends only when these are small as well. Both end only when a sample of other rows and columns is as small,
// and a grid of entries, and go on from the largest where they are not: what is left in a few entries may
// still be missed, unless no error is allowed.

#include <span>
#include <string_view>

#include "trisweep/lowrank/entries.hpp"

namespace trisweep::lowrank {

enum class Cross { aca, aca_plus };
struct NamedCross {
  std::string_view name;
  Cross method;
};
std::span<const NamedCross> crosses();

// Of rows or columns, a number for each, or none: what crosses miss is where `near` is least or `far`
// greatest, as distances of the other side's points. Samples begin there, in turn.
struct Ends {
  std::span<const double> near, far;
};

struct CrossOptions {
  Cross method = Cross::aca_plus;
  Accuracy accuracy;
  Index most_rank = 0;  // that is good enough; 0: any
  Ends rows, columns;
};

template <Scalar T>
struct CrossResult {
  LowRank<T> block;
  // False: as many crosses as take the memory of the dense block have not been enough, or an entry is not
  // finite.
  bool converged = false;
};

// Costs rank (rows + cols) entries, about a quarter as many more for references and the sample, and 256 for
// the grid; more where these find something. The same on every machine and thread.
template <Scalar T>
CrossResult<T> cross_approximation(const Entries<T>& entries, const CrossOptions& options);

}  // namespace trisweep::lowrank
