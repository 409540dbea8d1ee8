#include "trisweep/engine/device_engine.hpp"

#include <map>

#include "trisweep/engine/communication_pattern.hpp"
#include "trisweep/engine/device_refinement.hpp"
#include "trisweep/mpi/agreement.hpp"
#include "trisweep/mpi/sparse_exchange.hpp"

namespace trisweep::engine {
namespace {

PhaseProfile in_bytes(const plan::RankTraffic& traffic, Offset row_bytes) {
  PhaseProfile done;
  for (const plan::MessageKind kind : plan::message_kinds) {
    const auto& both = traffic.of(kind);
    done.sent[plan::index_of(kind)] = {both.sent.messages, both.sent.rows * row_bytes};
    done.received[plan::index_of(kind)] = {both.received.messages, both.received.rows * row_bytes};
  }
  return done;
}

}  // namespace

template <Scalar T>
DeviceEngine<T>::DeviceEngine(const RankSystem<T>& system, const EngineOptions& options)
    : system_(system), options_(options), scales_(system.ordering, system.partition, system.comm.rank()) {}

template <Scalar T>
Index DeviceEngine<T>::room(const plan::Plan& plan) const {
  const auto* const found = prepared_.find(plan);
  return found == nullptr ? 0 : (*found)->nrhs;
}

template <Scalar T>
void DeviceEngine<T>::prepare(const plan::Plan& plan, Index nrhs) {
  const mpi::Communicator& comm = system_.comm;
  mpi::require_matching(comm,
                        mpi::agree_on_error(comm, [&] { return pattern_of(plan, usize(nrhs) * sizeof(T)); }));
  if (!options_.exchange_backend)
    options_.exchange_backend = obstacle_to_puts(options_.device, comm).empty()
                                    ? device::ExchangeBackend::puts
                                    : device::ExchangeBackend::mpi;
  auto made = mpi::agree_on_error(comm, [&] {
    auto prepared = std::make_unique<Prepared>();
    prepared->nrhs = nrhs;
    prepared->program = device::make_program(*system_.distribution.structure, system_.local_blocks, plan,
                                             *options_.exchange_backend);
    for (const plan::Phase& phase : plan.phase) prepared->traffic.push_back(plan::traffic_of(phase));
    return prepared;
  });
  set_up(*made, nrhs, scales_.scaled(plan.op, {}), nullptr);
  mpi::agree_on_error(comm, [&] { prepared_.of(plan) = std::move(made); });
}

template <Scalar T>
void DeviceEngine<T>::reach_others(RunningProgram<T>& of) {
  const mpi::Communicator& comm = system_.comm;
  if (is_gpu(options_.device)) deal_out_gpus(options_.device, comm);
  if (connect(of.program)) {
    if (const std::string obstacle = obstacle_to_puts(options_.device, comm); !obstacle.empty())
      throw mpi::CollectiveError(ErrorKind::environment, obstacle);
    of.layouts = layouts_of_peers(of.program);
    if (is_gpu(options_.device) && !gpus_) gpus_ = join_gpus(comm);
  }
}

template <Scalar T>
void DeviceEngine<T>::set_up(RunningProgram<T>& of, Index nrhs, const CallersVectors<T>& scales,
                             const device::ResidualSystem<T>* measuring) {
  if (options_.exchange_backend == device::ExchangeBackend::mpi)
    of.host_exchange = mpi::make_collective<HostStagedExchange<T>>(system_.comm, of.program, nrhs, options_);
  reach_others(of);
  const RankProgram<T> program{.system = system_,
                               .program = of.program,
                               .device = options_.device,
                               .nrhs = nrhs,
                               .watchdog = options_.watchdog,
                               .scales = scales,
                               .layouts = of.layouts,
                               .measuring = measuring,
                               .host_exchange = of.host_exchange.get(),
                               .heap = gpus_.get()};
  of.runner = mpi::make_collective<ProgramRunner<T>>(system_.comm, program);
}

template <Scalar T>
std::unique_ptr<Refinement<T>> DeviceEngine<T>::refinement(const plan::Plan& plan,
                                                           const device::ResidualSystem<T>& of,
                                                           const plan::VectorPhase& columns, Index nrhs) {
  const mpi::Communicator& comm = system_.comm;
  std::optional<RefinementVectors<T>> vectors;
  device::ResidualSystem<T> measuring = of;
  auto running = mpi::agree_on_error(comm, [&] {
    vectors.emplace(options_.device, of.rows(), nrhs);
    measuring.residual = vectors->of(vectors->residual, nrhs).data;
    measuring.magnitude = vectors->magnitude.data();
    return std::make_unique<RunningProgram<T>>(
        RunningProgram<T>{.program = device::make_residual_program(comm.rank(), comm.size(), columns,
                                                                   of.rows(), *options_.exchange_backend)});
  });
  set_up(*running, nrhs, {}, &measuring);
  return mpi::agree_on_error(comm, [&]() -> std::unique_ptr<Refinement<T>> {
    const auto solve = [this, &plan](Vectors<const T> b, Vectors<T> x, Vectors<const T> base, void* stream) {
      ProgramRunner<T>& runner = *(*prepared_.find(plan))->runner;
      runner.start(scales_.scaled(plan.op, {.b = b, .x = x, .base = base}), stream);
    };
    const auto confirm = [this, &plan] { (*prepared_.find(plan))->runner->confirm(); };
    return std::make_unique<DeviceRefinement<T>>(std::move(*vectors), std::move(running), solve, confirm);
  });
}

template <Scalar T>
bool DeviceEngine<T>::connect(device::Program& program) const {
  const mpi::Communicator& comm = system_.comm;
  // For each peer: the destinations of its messages here, and the signal by which it tells that it has
  // finished.
  const auto told =
      mpi::exchange_lists(comm, mpi::agree_on_error(comm, [&] {
                            std::map<Index, std::vector<device::Address>> by_peer;
                            for (const device::Inbound& message : program.inbound)
                              by_peer[message.from].push_back(message.address);
                            Index signal = program.messages();
                            for (const Index peer : device::peers_of(program))
                              by_peer[peer].push_back({.row = 0, .rows = 0, .signal = signal++});
                            by_peer.erase(program.pe);
                            std::vector<mpi::ListOfRank<device::Address>> lists;
                            for (auto& [peer, addresses] : by_peer)
                              lists.push_back({peer, std::move(addresses)});
                            return lists;
                          }));
  mpi::agree_on_error(comm, [&] {
    std::vector<Index> peers = device::peers_of(program);
    std::map<Index, std::vector<device::Address>> by_peer;
    for (const Index peer : peers) by_peer[peer];
    by_peer.erase(program.pe);
    for (const auto& list : told) by_peer[list.rank] = list.entry;
    for (auto& [peer, there] : by_peer) {
      const Index finished = there.empty() ? device::none : there.back().signal;
      if (!there.empty()) there.pop_back();
      device::connect(program, peer, there, finished);
    }
    device::number_peers(program, std::move(peers));
  });
  return comm.max(Offset{program.messages()}) > 0;
}

template <Scalar T>
std::vector<device::SharedLayout> DeviceEngine<T>::layouts_of_peers(const device::Program& program) const {
  std::vector<device::SharedLayout> layouts;
  auto told = mpi::exchange_lists(
      system_.comm, mpi::agree_on_error(system_.comm, [&] {
        layouts.assign(program.peers.size(),
                       device::shared_layout(program, static_cast<Index>(program.peers.size())));
        std::vector<mpi::ListOfRank<device::SharedLayout>> lists;
        for (std::size_t peer = 0; peer < layouts.size(); ++peer)
          if (static_cast<Index>(peer) != program.pe) lists.push_back({program.peers[peer], {layouts[peer]}});
        return lists;
      }));
  for (std::size_t peer = 0; auto& list : told) {
    while (program.peers[peer] != list.rank) ++peer;
    layouts[peer] = list.entry[0];
  }
  return layouts;
}

template <Scalar T>
void DeviceEngine<T>::start(const plan::Plan& plan, const CallersVectors<T>& vectors, void* stream) {
  if (vectors.rows.b.cols > 0) throw Error(ErrorKind::usage, "devices take vectors in columns");
  (*prepared_.find(plan))->runner->start(scales_.scaled(plan.op, vectors), stream);
}

template <Scalar T>
SolveProfile DeviceEngine<T>::run(const plan::Plan& plan, const CallersVectors<T>& vectors) {
  const Prepared& prepared = **prepared_.find(plan);
  start(plan, vectors, nullptr);
  prepared.runner->wait(nullptr);
  return profile(plan, prepared, vectors.columns());
}

template <Scalar T>
void DeviceEngine<T>::panels_changed() {
  for (auto& [plan, prepared] : prepared_) prepared->runner->panels_changed();
}

template <Scalar T>
SolveProfile DeviceEngine<T>::profile(const plan::Plan& plan, const Prepared& prepared, Index nrhs) const {
  SolveProfile done;
  const std::span<const device::Count> time = prepared.runner->times();
  device::Count end = time.back();
  for (std::size_t p = plan.phase.size(); p-- > 0;) {
    // A phase without items begins with the next phase; the clocks of a device's units differ slightly.
    const device::Count begin = time[p] == 0 ? end : std::min(time[p], end);
    PhaseProfile of = in_bytes(prepared.traffic[p], nrhs * static_cast<Offset>(sizeof(T)));
    of.seconds = 1e-9 * double(end - begin);
    done.of(plan::part_of(plan.phase[p])) += of;
    end = begin;
  }
  return done;
}

#define INSTANTIATE(T) template class DeviceEngine<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::engine
