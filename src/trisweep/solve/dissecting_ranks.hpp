#pragma once
// Nested dissection by all ranks: rank 0 has the graph, and each rank that has a subdomain to dissect halves
// it and leaves one half to another rank, while there are any. The order is that of one rank alone.

#include <functional>
#include <memory>
#include <utility>

#include "trisweep/mpi/communicator.hpp"
#include "trisweep/ordering/dissection.hpp"
#include "trisweep/solve/linear_system.hpp"

namespace trisweep::solve {

// Where one rank orders, the others call help_to_dissect().
class DissectingRanks final : public ordering::Helpers {
 public:
  // On rank 0: of all ranks. `comm` outlives it. `free_values`: of the gathered matrix.
  explicit DissectingRanks(
      const mpi::Communicator& comm, std::function<void()> free_values = [] {})
      : DissectingRanks(comm, comm.size(), std::move(free_values)) {}
  // As let_go(), when an error unwinds.
  ~DissectingRanks() override;
  DissectingRanks(const DissectingRanks&) = delete;
  DissectingRanks& operator=(const DissectingRanks&) = delete;

  std::unique_ptr<Answer> give(const ordering::Subdomain& domain) override;
  void let_values_go() override { free_values_(); }
  // Those that are left have nothing to dissect.
  void let_go();

 private:
  friend void help_to_dissect(const mpi::Communicator& comm);
  DissectingRanks(const mpi::Communicator& comm, Index end, std::function<void()> free_values)
      : comm_(comm), end_(end), free_values_(std::move(free_values)) {}
  Index pass_on_half();

  const mpi::Communicator& comm_;
  Index end_;  // this rank and those after it, before `end`, are left
  std::function<void()> free_values_;
};

// On another rank: waits for what it is left, and dissects that. Throws what that throws, which the rank that
// left it has been told.
void help_to_dissect(const mpi::Communicator& comm);

// Gathers the matrix on rank 0 of `comm` and runs work(matrix, helpers), which orders it, there; once it is
// known how, the matrix may have no values any more. Collective.
template <Scalar T, class Work>
void gather_to_order(const mpi::Communicator& comm, const LinearSystem<T>& system, const Work& work) {
  system.gather(
      [&](const matrix::Csr<T>& a, matrix::Csr<T>& room) {
        DissectingRanks others(comm, [&] { std::vector<T>().swap(room.value); });
        work(a, others);
        others.let_go();
      },
      [&] { help_to_dissect(comm); });
}

}  // namespace trisweep::solve
