// Pipelined BiCGStab as a program of SimGrid's MPI: the library's method and reductions, with a product whose
// all-gather has the bytes of a whole vector, while what is computed only passes time.
//   simulated_iterations OVERLAP ROWS PRODUCT_SECONDS VECTOR_SECONDS OUT
// OUT: {"seconds": of an iteration}.

#include <smpi/smpi.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <simgrid/s4u/Actor.hpp>
#include <simgrid/s4u/Engine.hpp>

#include "trisweep/krylov/methods.hpp"

namespace trisweep::simgrid {
namespace {

using ::simgrid::s4u::this_actor::sleep_for;

// A diagonal matrix, so that there is something to iterate.
class SimulatedProduct {
 public:
  static constexpr Index rows = 64;  // of each rank, of the numbers that are computed

  SimulatedProduct(const mpi::Communicator& comm, Index all_rows, double seconds, double vector_seconds)
      : comm_(comm), seconds_(seconds), vector_seconds_(vector_seconds), whole_(usize(all_rows)) {
    for (int rank = 0; rank <= comm.size(); ++rank)
      begin_.push_back(static_cast<int>(Offset{all_rows} * rank / comm.size()));
    for (int rank = 0; rank < comm.size(); ++rank)
      count_.push_back(begin_[usize(rank) + 1] - begin_[usize(rank)]);
  }

  // Updates of vectors that are not hidden are done before.
  void operator()(Vectors<const double> x, Vectors<double> y) const {
    sleep_for(vector_seconds_);
    gather();
    finish(x, y);
  }
  void operator()(Vectors<const double> x, Vectors<double> y, const krylov::Meanwhile& work) const {
    begin_gather();
    bool passed = false;
    work([&] {
      if (!passed) sleep_for(vector_seconds_);
      passed = true;
    });
    gathered();
    finish(x, y);
  }

 private:
  void gather() const {
    begin_gather();
    gathered();
  }
  void begin_gather() const {
    MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DOUBLE, whole_.data(), count_.data(), begin_.data(), MPI_DOUBLE,
                    comm_.handle(), &request_);
  }
  void gathered() const { MPI_Wait(&request_, MPI_STATUS_IGNORE); }
  void finish(Vectors<const double> x, Vectors<double> y) const {
    sleep_for(seconds_);
    for (Index i = 0; i < rows; ++i) y.column(0)[i] = x.column(0)[i] * (1 + i + comm_.rank() * rows);
  }

  const mpi::Communicator& comm_;
  const double seconds_, vector_seconds_;
  std::vector<int> begin_, count_;
  mutable std::vector<double> whole_;
  mutable MPI_Request request_ = MPI_REQUEST_NULL;
};

double seconds_of_an_iteration(krylov::Overlap overlap, SimulatedProduct& product,
                               const mpi::ParallelContext& context) {
  constexpr int few = 5, many = 25;
  krylov::Identity identity;
  const krylov::Preconditioned<double> system{product, identity};
  const auto seconds = [&](int iterations) {
    std::vector<double> b(SimulatedProduct::rows, 1), x(b.size());
    const double start = ::simgrid::s4u::Engine::get_clock();
    const auto result = krylov::pipelined_bicgstab<double>(
        context, system, {b.data(), SimulatedProduct::rows, 1}, {x.data(), SimulatedProduct::rows, 1},
        {.tolerance = 1e-300, .max_iterations = iterations, .overlap = overlap, .replace_every = 0});
    if (result[0].iterations != iterations) std::abort();
    return context.comm.max(::simgrid::s4u::Engine::get_clock() - start);
  };
  return (seconds(many) - seconds(few)) / (many - few);
}

}  // namespace
}  // namespace trisweep::simgrid

int main(int argc, char** argv) {
  using namespace trisweep;
  if (argc != 6) return 2;
  MPI_Init(&argc, &argv);
  double seconds = 0;
  int rank = 0;
  {
    const mpi::Communicator comm(MPI_COMM_WORLD);
    ThreadPool pool(1);
    rank = comm.rank();
    const std::string name = argv[1];
    const auto overlap = name == "block"   ? krylov::Overlap::none
                         : name == "pipe1" ? krylov::Overlap::sums
                                           : krylov::Overlap::gathers;
    trisweep::simgrid::SimulatedProduct product(comm, std::atoi(argv[2]), std::atof(argv[3]),
                                                std::atof(argv[4]));
    seconds = trisweep::simgrid::seconds_of_an_iteration(overlap, product, {comm, pool});
  }
  if (rank == 0) std::ofstream(argv[5]) << nlohmann::json{{"seconds", seconds}};
  MPI_Finalize();
}
