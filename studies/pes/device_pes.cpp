#include "studies/pes/device_pes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "studies/pes/pe_warp.hpp"
#include "trisweep/core/clock.hpp"
#include "trisweep/core/error.hpp"

namespace trisweep::studies {

template <Scalar T>
DevicePes<T>::DevicePes(const sptrsv::LowerSystem<T>& system, const NamedDesign& design,
                        const DevicePeOptions& options)
    : device_(options.device) {
  if (device_ == backend::Device::native || options.threads < 1)
    throw Error(ErrorKind::usage, "PEs on a device need a device, and one thread each",
                "use emulated, cuda or hip");
  backend::require_device(device_);
  programs_ = programs_of(system, design, {.layout = options.layout, .costs = options.costs});
  if (!is_gpu(device_)) pool_ = std::make_unique<ThreadPool>(options.layout.pes * options.threads);
  std::vector<int> devices(usize(std::min(options.layout.pes, backend::runtime(device_).count())));
  std::iota(devices.begin(), devices.end(), 0);
  group_.emplace(device_, devices);
  place_pes();
}

template <Scalar T>
void DevicePes<T>::place_pes() {
  managed_.emplace(device_, programs_);
  copies_.emplace(device_, programs_.rows(), 1);
  part_.resize(group_->size());
  for (Index p = 0; usize(p) < programs_.pe.size(); ++p) {
    part_[group_->place_of(p)].pe.push_back(p);
    group_->on(group_->place_of(p),
               [&] { heap_.push_back(pe_.emplace_back(device_, programs_, p).heap(*managed_)); });
  }
  group_->run(nullptr, [&](std::size_t i, void*) {
    Part& part = part_[i];
    const int blocks = with_exchange(programs_.exchange, [&]<class Exchange>(Exchange) {
      return backend::resident_blocks<RunDesign<Number, Exchange>>({device_, pool_.get()});
    });
    part.blocks = backend::blocks_of_each(blocks, static_cast<int>(part.pe.size()), most_pes);
    part.heap = {device_, std::span(std::as_const(heap_))};
    for (const Index p : part.pe) part.view.push_back(pe_[usize(p)].view(part.heap.data(), heap_[usize(p)]));
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
  const auto [from, to] = copies_->bring_in(b, x, stream);
  managed_->reset(stream);
  group_->run(stream, [&](std::size_t i, void* here) {
    for (const Index p : part_[i].pe) pe_[usize(p)].reset(here);
  });
  runtime.wait(stream);
  const auto start = Clock::now();
  run(stream, {reinterpret_cast<const Number*>(from.data), reinterpret_cast<Number*>(to.data),
               backend::nanoseconds(backend::usual_watchdog)});
  runtime.wait(stream);
  const double seconds = seconds_since(start);
  copies_->bring_out(x, stream);
  runtime.wait(stream);
  copies_->hand_out(x);
  return report(seconds);
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
  PeReport report{.seconds = seconds};
  for (Index p = 0; usize(p) < pe_.size(); ++p) {
    PeControl control;
    backend::copy(device_, &control, pe_[usize(p)].control(), 1);
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
