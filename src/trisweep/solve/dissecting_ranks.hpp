#pragma once
// Nested dissection by all ranks: rank 0 starts with the whole graph; each rank with a subdomain bisects it
// and passes one half to another rank, as long as ranks are idle. The order is that of a single rank.

#include <functional>
#include <memory>
#include <utility>

#include "trisweep/mpi/communicator.hpp"
#include "trisweep/ordering/dissection.hpp"
#include "trisweep/solve/linear_system.hpp"

namespace trisweep::solve {

// The helpers of the rank that orders; the other ranks call help_to_dissect().
class DissectingRanks final : public ordering::Helpers {
 public:
  // On rank 0, with all other ranks as helpers. `comm` must outlive it. `free_values`: frees the values of
  // the gathered matrix.
  explicit DissectingRanks(
      const mpi::Communicator& comm, std::function<void()> free_values = [] {})
      : DissectingRanks(comm, comm.size(), std::move(free_values)) {}
  // Calls let_go(), for the case that an exception unwinds.
  ~DissectingRanks() override;
  DissectingRanks(const DissectingRanks&) = delete;
  DissectingRanks& operator=(const DissectingRanks&) = delete;

  std::unique_ptr<Answer> give(const ordering::Subdomain& domain) override;
  void let_values_go() override { free_values_(); }
  // Dismisses the ranks that have been given no subdomain.
  void let_go();

 private:
  friend void help_to_dissect(const mpi::Communicator& comm);
  DissectingRanks(const mpi::Communicator& comm, Index end, std::function<void()> free_values)
      : comm_(comm), end_(end), free_values_(std::move(free_values)) {}
  Index pass_on_half();

  const mpi::Communicator& comm_;
  Index end_;  // ranks after this one and before `end_` are idle
  std::function<void()> free_values_;
};

// Called by all ranks except rank 0: waits for a subdomain and dissects it. Throws what the dissection
// throws, after reporting the error to the rank that passed the subdomain.
void help_to_dissect(const mpi::Communicator& comm);

// Gathers the matrix on rank 0 of `comm` and runs work(matrix, helpers) there, which orders the matrix;
// during ordering its values may be freed. Collective.
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
