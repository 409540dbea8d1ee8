#include "studies/himv/launch_runner.hpp"

#include <algorithm>
#include <deque>

#include "studies/himv/batch_kernel.hpp"

namespace trisweep::studies {
namespace {

device::GemvPlan stored(const LaunchPlan& plan) {
  device::GemvPlan of_stored_panels = plan;
  of_stored_panels.panels = plan.stored_panels();
  return of_stored_panels;
}

template <Scalar T>
class Batches final : public device::KernelRunner<T> {
 public:
  Batches(LaunchPlan plan, backend::Device device, ThreadPool& pool)
      : device::KernelRunner<T>(stored(plan), device, pool, plan.slack),
        batch_(std::move(plan.batch)),
        padded_panels_(std::move(plan.padded_panels)) {
    Index streams = 1;
    for (const GemvBatch& batch : batch_) streams = std::max(streams, batch.stream + 1);
    for (Index s = 0; s < streams; ++s) {
      stream_.emplace_back(device);
      first_type_done_.emplace_back(device);
    }
  }

  void run() override {
    this->clear_result();
    this->wait();
    launch(false);
    // Any stream may read the sums.
    for (std::size_t s = 0; s < stream_.size(); ++s) first_type_done_[s].record(stream_[s].get());
    for (const backend::Stream& stream : stream_)
      for (const backend::Event& done : first_type_done_) done.wait_in(stream.get());
    launch(true);
    for (const backend::Stream& stream : stream_) runtime(this->queue().device).wait(stream.get());
  }

 private:
  void launch(bool of_left) const {
    backend::Queue queue = this->queue();
    for (const GemvBatch& batch : batch_) {
      if (batch.of_left != of_left) continue;
      queue.stream = stream_[usize(batch.stream)].get();
      backend::launch(queue, RunBatch<backend::NumberOf<T>>{this->view(), batch},
                      Offset{batch.gemv.end - batch.gemv.begin} * batch.parts, {}, batch.groups * slab_rows);
    }
  }

  std::vector<GemvBatch> batch_;
  std::vector<std::byte> padded_panels_;
  std::deque<backend::Stream> stream_;
  std::deque<backend::Event> first_type_done_;
};

}  // namespace

template <Scalar T>
std::unique_ptr<device::KernelRunner<T>> run_launches(LaunchPlan plan, backend::Device device,
                                                      ThreadPool& pool) {
  if (plan.is_merged) return std::make_unique<device::MergedGemv<T>>(std::move(plan), device, pool);
  if (plan.is_padded) store_padded<T>(plan);
  return std::make_unique<Batches<T>>(std::move(plan), device, pool);
}

#define INSTANTIATE(T) \
  template std::unique_ptr<device::KernelRunner<T>> run_launches(LaunchPlan, backend::Device, ThreadPool&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::studies
