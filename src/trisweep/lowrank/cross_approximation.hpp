#pragma once
// Adaptive cross approximation: a block as a sum of outer products of its residual's columns and rows, of
// which few are ever computed.
//
// `aca`: partial pivoting (Bebendorf 2000). The next row is where the last column is largest: cheap, but
// blind to parts of the block that no pivot has touched. `aca_plus` (Grasedyck, see Boerm, Grasedyck,
// Hackbusch 2003, section 4.4): pivots are where a reference row and a reference column of the residual are
// largest; it ends only when these are small as well. Both methods end only when a sample of other rows and
// columns and a grid of entries are small, too, and otherwise continue from the largest entry found: errors
// in a few entries may still be missed, unless no error is allowed.

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

// For each row or column, its distances from the nearest and farthest points of the other side, or nothing.
// Crosses tend to miss errors where `near` is least or `far` greatest: samples begin there, in turn.
struct Ends {
  std::span<const double> near, far;
};

struct CrossOptions {
  Cross method = Cross::aca_plus;
  Accuracy accuracy;
  Index most_rank = 0;  // stops at this rank, whatever the accuracy; 0: any
  Ends rows, columns;
};

template <Scalar T>
struct CrossResult {
  LowRank<T> block;
  // False if crosses with as much memory as the dense block do not suffice, or an entry is not finite.
  bool converged = false;
};

// Evaluates rank (rows + cols) entries, about a quarter as many more for references and the sample, and 256
// for the grid; more where these find errors. The result is the same on every machine and thread.
template <Scalar T>
CrossResult<T> cross_approximation(const Entries<T>& entries, const CrossOptions& options);

}  // namespace trisweep::lowrank
