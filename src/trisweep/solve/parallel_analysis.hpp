#pragma once
// Ordering and structure of a distributed matrix, made by all ranks. No rank has the matrix or its graph:
//
//   1. Rows are matched to columns where the diagonal is weak (parallel_matching.hpp), and get the mirror
//      images of their entries (symmetrized_rows.hpp). Rows of a pivot of order 2 are united, and those with
//      the same neighbours, such as the unknowns of a finite element node (grouped_rows.hpp).
//   2. All ranks dissect the graph into a subdomain for each rank (parallel_dissection.hpp).
//   3. Each rank dissects its subdomain further, as a single rank does, and analyzes it; rank 0 analyzes the
//      separators and joins the structures (symbolic/parts.hpp).
//
// What all ranks keep anyway is what they have in common: order, scaling and structure.

#include <optional>
#include <span>
#include <vector>

#include "trisweep/solve/analysis.hpp"
#include "trisweep/solve/linear_system.hpp"

namespace trisweep::solve {

// True if ranks order a system together, as far as its values allow: with Method::ptscotch, or automatically
// where rank 0 has no memory to order alone. Never on one rank, nor with few rows on a rank. Collective.
template <Scalar T>
bool ranks_order_together(const mpi::Communicator& comm, const LinearSystem<T>& system,
                          ordering::Method method);
// Bytes that a rank takes to gather a matrix, with values of `value_bytes`, and to dissect its graph alone.
double bytes_to_order_alone(Index rows, double nonzeros, std::size_t value_bytes);

struct AnalysisRequest {
  numeric::KindChoice kind = numeric::KindChoice::automatic;
  int failed = 0;  // number of kinds of factorization that have failed
  ordering::OrderingOptions ordering{};
  std::span<const symbolic::SymbolicOptions> symbolic{};  // for each, one analysis is made
};

// Returns the analyses on rank 0; on all ranks nullopt unless ranks order together, if the matrix does not
// suit the kind that was asked for, and where no matching was found soon. Collective. Throws as
// dissect_in_parallel(), and Error(input) for values that are not finite.
template <Scalar T>
std::optional<std::vector<Analysis>> analyze_in_parallel(const mpi::Communicator& comm,
                                                         const LinearSystem<T>& system,
                                                         const AnalysisRequest& request, Observer& observer);

}  // namespace trisweep::solve
