#include "studies/pes/device_pes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "studies/pes/pe_warp.hpp"
#include "trisweep/core/clock.hpp"
#include "trisweep/core/error.hpp"
#include "trisweep/engine/program_runner.hpp"
#include "trisweep/mpi/agreement.hpp"

namespace trisweep::studies {

template <Scalar T>
DevicePes<T>::DevicePes(const sptrsv::LowerSystem<T>& system, const NamedDesign& design,
                        const DevicePeOptions& options)
    : options_(options), device_(options.device) {
  agreed([&] { begin(system, design); });
  const auto shared = share_memory();
  agreed([&] { place_pes(shared); });
}

template <Scalar T>
void DevicePes<T>::begin(const sptrsv::LowerSystem<T>& system, const NamedDesign& design) {
  const DevicePeOptions& options = options_;
  if (device_ == backend::Device::native || options.threads < 1)
    throw Error(ErrorKind::usage, "PEs on a device need a device, and one thread each",
                "use emulated, cuda or hip");
  if (options.ranks != nullptr && options.ranks->size() != options.layout.pes)
    throw Error(
        ErrorKind::usage,
        fmt::format("{} PEs of {} ranks: each rank has one", options.layout.pes, options.ranks->size()),
        "start as many ranks as PEs, or one");
  programs_ = programs_of(system, design, {.layout = options.layout, .costs = options.costs});
  if (options.ranks != nullptr && programs_.exchange == Exchange::unified)
    throw Error(ErrorKind::usage,
                fmt::format("{} uses managed memory, which processes cannot share", design.name),
                "start one process");
  backend::require_device(device_);
  if (!is_gpu(device_))
    pool_ =
        std::make_unique<ThreadPool>((options.ranks == nullptr ? options.layout.pes : 1) * options.threads);
}

template <Scalar T>
std::vector<std::byte*> DevicePes<T>::share_memory() {
  std::vector<std::byte*> shared(programs_.pe.size());
  if (options_.ranks == nullptr) return shared;
  const mpi::Communicator& ranks = *options_.ranks;
  const auto bytes = [&](Index pe) { return HeapLayout<T>(programs_, pe).bytes(); };
  if (!is_gpu(device_)) {
    const mpi::Communicator node = ranks.of_node();
    agreed([&] {
      if (node.size() != ranks.size())
        throw Error(ErrorKind::environment, "emulated PEs of several nodes do not reach each other's memory",
                    "start all ranks on one node");
    });
    node_memory_.emplace(node, bytes(ranks.rank()));
    for (Index p = 0; usize(p) < shared.size(); ++p) shared[usize(p)] = node_memory_->part(p);
    return shared;
  }
  engine::deal_out_gpus(device_, ranks);
  symmetric_ = engine::join_gpus(ranks);
  if (symmetric_ == nullptr)
    throw mpi::CollectiveError(ErrorKind::environment, "GPUs of several processes need NVSHMEM",
                               "build with it (see scripts/install-gpu-compilers), or start one process");
  std::size_t most = 0;
  for (Index p = 0; usize(p) < shared.size(); ++p) most = std::max(most, bytes(p));
  symmetric_memory_ = mpi::agree_on_error(ranks, [&] { return symmetric_->allocate(most); });
  mpi::agree_on_error(ranks, [&] {
    for (Index p = 0; usize(p) < shared.size(); ++p)
      shared[usize(p)] = symmetric_->reached(symmetric_memory_.get(), p);
  });
  return shared;
}

template <Scalar T>
void DevicePes<T>::place_pes(const std::vector<std::byte*>& shared) {
  const backend::Runtime& runtime = backend::runtime(device_);
  std::vector<int> devices(usize(std::min(options_.layout.pes, runtime.count())));
  std::iota(devices.begin(), devices.end(), 0);
  if (options_.ranks != nullptr) devices = {runtime.current()};
  group_.emplace(device_, devices);
  managed_.emplace(device_, programs_);
  copies_.emplace(device_, programs_.rows(), 1);
  part_.resize(group_->size());
  for (Index p = 0; usize(p) < programs_.pe.size(); ++p) {
    if (!is_here(p)) {
      heap_.push_back(HeapLayout<T>(programs_, p).at(shared[usize(p)]));
      continue;
    }
    part_[group_->place_of(p)].pe.push_back(p);
    group_->on(group_->place_of(p), [&] {
      const auto placed = pe_.try_emplace(p, device_, programs_, p, shared[usize(p)]).first;
      heap_.push_back(with_managed(placed->second.heap(), *managed_));
    });
  }
  group_->run(nullptr, [&](std::size_t i, void*) {
    Part& part = part_[i];
    const int blocks = with_exchange(programs_.exchange, [&]<class Exchange>(Exchange) {
      return backend::resident_blocks<RunDesign<Number, Exchange>>({device_, pool_.get()});
    });
    part.blocks = backend::blocks_of_each(blocks, static_cast<int>(part.pe.size()), most_pes);
    part.heap = {device_, std::span(std::as_const(heap_))};
    for (const Index p : part.pe) part.view.push_back(pe_.at(p).view(part.heap.data(), heap_[usize(p)]));
    part.view_there = {device_, std::span(std::as_const(part.view))};
  });
}

template <Scalar T>
PeReport DevicePes<T>::solve(Vectors<const T> b, Vectors<T> x) {
  require_fit<T>(b, x, programs_.rows(), is_gpu(device_));
  PeReport all;
  for (Index c = 0; c < b.cols; ++c) all += solve_column(b.columns(c, 1), x.columns(c, 1));
  return all;
}

template <Scalar T>
PeReport DevicePes<T>::solve_column(Vectors<const T> b, Vectors<T> x) {
  const backend::Runtime& runtime = backend::runtime(device_);
  void* const stream = nullptr;
  // No rank begins before the memory of all ranks is zeroed.
  const auto [from, to] = agreed([&] {
    const auto brought = copies_->bring_in(b, x, stream);
    reset(stream);
    runtime.wait(stream);
    return brought;
  });
  const auto start = Clock::now();
  std::vector<double> parts;
  PeReport mine = agreed([&] {
    run(stream, {reinterpret_cast<const Number*>(from.data), reinterpret_cast<Number*>(to.data),
                 backend::nanoseconds(backend::usual_watchdog)});
    runtime.wait(stream);
    const double seconds = seconds_since(start);
    copies_->bring_out(x, stream);
    runtime.wait(stream);
    copies_->hand_out(x);
    if (options_.ranks != nullptr) parts = own_parts(x);
    return report(seconds);
  });
  if (options_.ranks == nullptr) return mine;
  gather(std::move(parts), x);
  return gather(std::move(mine));
}

template <Scalar T>
void DevicePes<T>::reset(void* stream) const {
  managed_->reset(stream);
  group_->run(stream, [&](std::size_t i, void* here) {
    for (const Index p : part_[i].pe) pe_.at(p).reset(here);
  });
}

template <Scalar T>
std::vector<double> DevicePes<T>::own_parts(Vectors<T> x) const {
  constexpr std::size_t reals = sizeof(T) / sizeof(RealOf<T>);
  std::vector<double> parts(usize(x.rows) * reals);
  const auto* const real = reinterpret_cast<const RealOf<T>*>(x.data);
  for (const Index number : programs_.pe[usize(options_.ranks->rank())].number)
    std::copy_n(real + usize(number) * reals, reals, parts.begin() + number * Offset{reals});
  return parts;
}

template <Scalar T>
void DevicePes<T>::gather(std::vector<double> parts, Vectors<T> x) const {
  options_.ranks->sum(parts);
  std::ranges::transform(parts, reinterpret_cast<RealOf<T>*>(x.data),
                         [](double part) { return static_cast<RealOf<T>>(part); });
}

template <Scalar T>
PeReport DevicePes<T>::gather(PeReport mine) const {
  const mpi::Communicator& ranks = *options_.ranks;
  PeReport all{.pe = ranks.gather(mine.pe.front()), .seconds = ranks.max(mine.seconds)};
  ranks.broadcast(all.pe);
  return all;
}

template <Scalar T>
void DevicePes<T>::run(void* stream, const PeTask<Number>& task) const {
  with_exchange(programs_.exchange, [&]<class Exchange>(Exchange) {
    group_->run(stream, [&](std::size_t i, void* here) {
      const int count = static_cast<int>(part_[i].pe.size());
      backend::launch_together({device_, pool_.get(), here},
                               RunDesign<Number, Exchange>{part_[i].view_there.data(), count, task},
                               part_[i].blocks * count);
    });
  });
}

template <Scalar T>
PeReport DevicePes<T>::report(double seconds) const {
  PeReport report{.pe = {}, .seconds = seconds};
  for (const auto& [p, memory] : pe_) {
    PeControl control;
    backend::copy(device_, &control, memory.control(), 1);
    if (control.stalled != 0)
      throw Error(
          ErrorKind::environment,
          fmt::format("no progress for {:g} s: PE {} waits for what others contribute to component {}",
                      backend::usual_watchdog, p, control.stalled - 1));
    const int warps = part_[group_->place_of(p)].blocks *
                      (is_gpu(device_) ? backend::threads_of_block / int{slab_rows} : 1);
    report.pe.push_back({.counts = control.counts,
                         .launches = 1,
                         .seconds = seconds,
                         .idle_seconds = 1e-9 * double(control.waited) / warps});
  }
  return report;
}

#define INSTANTIATE(T) template class DevicePes<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::studies
