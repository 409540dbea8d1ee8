// One solve by simulated ranks: the library's plans, executor and transports, in SimGrid's time. Numbers are
// not computed: products, and the ends of messages, take the time that the machine's description says.
//
//   smpirun ... simulated_solve ANALYSIS RECORD MACHINE OUT LATE
//
// The last rank begins LATE seconds after the others. Behind the solve are the reductions of an answer.
//
// All ranks are one process and share the job. A host of the platform is a memory, whose speed is in bytes
// per second: SimGrid shares it among the products that run there.

#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <simgrid/s4u/Engine.hpp>
#include <simgrid/s4u/Exec.hpp>

#include "modelled_products.hpp"
#include "priced_transport.hpp"
#include "trisweep/engine/communication_pattern.hpp"
#include "trisweep/engine/executor.hpp"

namespace trisweep::simgrid {
namespace {

namespace this_actor = ::simgrid::s4u::this_actor;

constexpr double start = 1;  // second at which all ranks begin: long after everything is set up

// A task takes its time at its end, before anything that it sets free.
class Clock final : public engine::Recorder {
 public:
  explicit Clock(const model::Machine& machine) : Recorder(1), machine_(machine) {}

  void record(const engine::TraceEvent& event) override {
    if (event.kind != engine::TraceKind::products) return;
    const model::Cost cost = take_counted();
    if (cost.products == 0) return;
    const double fastest =
        std::min(machine_.worker_bandwidth, cost.bytes * machine_.worker_flops / cost.flops);
    this_actor::exec_init(cost.bytes)->set_bound(fastest)->wait();
    this_actor::sleep_for(machine_.task_seconds + cost.products * machine_.product_seconds);
  }

 private:
  const model::Machine& machine_;
};

template <Scalar T>
Index work_rows(const plan::RankPlan& mine) {
  Index extra = 0;
  for (const plan::Phase& phase : mine.plan.phase) {
    if (const auto* sweep = std::get_if<plan::SweepPhase>(&phase)) extra = std::max(extra, sweep->extra_rows);
  }
  return mine.local_blocks.work_rows() + extra;
}

// What the executor does after the last message and task of a phase.
double ending_seconds(const plan::Phase& phase, const Job& job) {
  const auto* sweep = std::get_if<plan::SweepPhase>(&phase);
  const Offset rows = sweep == nullptr ? 0 : model::replaced_rows(*sweep);
  return job.machine.copying_seconds(double(rows) * job.workload.row_bytes());
}

constexpr int reductions = 2;  // of an answer that needs no correction

struct Outcome {
  double seconds;
  double answer_seconds;
  double messages;
};

template <Scalar T>
Outcome solve_once(const Job& job, double late) {
  const mpi::Communicator comm(MPI_COMM_WORLD);
  const plan::RankPlan& mine = job.plans[usize(comm.rank())];
  const Index nrhs = job.workload.nrhs;
  count_for(job.workload);
  std::vector<T> work(usize(work_rows<T>(mine)) * usize(nrhs));
  const engine::PanelStore<T> no_values;
  ThreadPool pool(1);
  engine::Executor<T> executor(mine.local_blocks, {}, no_values, pool);
  executor.reserve(mine.plan, nrhs);
  const auto pattern = engine::pattern_of(mine.plan, usize(nrhs) * sizeof(T));
  PricedTransport transport(mpi::find_transport(job.transport).make(comm, pattern), job, comm.rank());
  mpi::Watchdog watchdog;
  Clock clock(job.machine);
  const engine::Run<T> run{.work = {work.data(), executor.scratch(), nrhs},
                           .transport = transport,
                           .watchdog = watchdog,
                           .recorder = &clock};
  this_actor::sleep_until(start + (comm.rank() + 1 == comm.size() ? late : 0));
  Index channel = 0;
  for (const plan::Phase& phase : mine.plan.phase) {
    std::visit([&](const auto& p) { executor.run(p, channel, run); }, phase);
    this_actor::sleep_for(ending_seconds(phase, job));
    ++channel;
  }
  const auto seconds = [] { return ::simgrid::s4u::Engine::get_clock() - start; };
  const double solved = seconds();
  transport.close_solve(watchdog);
  for (int i = 0; i < reductions; ++i) comm.sum(1.0);
  const double answered = seconds();
  return {comm.max(solved), comm.max(answered), comm.sum(double(transport.messages()))};
}

Outcome solve_once(const Job& job, double late) {
  const bool wide = job.workload.scalar_bytes == (job.workload.complex ? 2 : 1) * sizeof(double);
  if (job.workload.complex)
    return wide ? solve_once<std::complex<double>>(job, late)
                : solve_once<Single<std::complex<double>>>(job, late);
  return wide ? solve_once<double>(job, late) : solve_once<Single<double>>(job, late);
}

}  // namespace
}  // namespace trisweep::simgrid

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  MPI_Init(&argc, &argv);
  static const trisweep::simgrid::Job job = trisweep::simgrid::read_job(argv[1], argv[2], argv[3]);
  const auto outcome = trisweep::simgrid::solve_once(job, std::atof(argv[5]));
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    std::ofstream(argv[4]) << nlohmann::json{{"seconds", outcome.seconds},
                                             {"answer_seconds", outcome.answer_seconds},
                                             {"messages", outcome.messages}};
  }
  MPI_Finalize();
}
