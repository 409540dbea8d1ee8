// The kernels of batch_kernel.hpp, by nvcc or hipcc.

#include <array>
#include <deque>

#include "studies/himv/batch_kernel.hpp"
#include "studies/himv/launch_runner.hpp"
#include "trisweep/device/gpu_gemv.hpp"

namespace trisweep::studies {
namespace {

using device::check;
using device::GpuEvent;
using device::GpuStream;

template <class T>
__global__ void run_batch(GemvView<T> view, GemvBatch batch) {
  run_block(view, batch, static_cast<Offset>(blockIdx.x), device::GpuBlock());
}

template <Scalar T>
class GpuBatches final : public device::GpuGemv<T> {
 public:
  explicit GpuBatches(const LaunchPlan& plan)
      : device::GpuGemv<T>(plan, plan.stored_panels(), plan.slack), batch_(plan.batch) {
    Index streams = 1;
    for (const GemvBatch& batch : batch_) streams = std::max(streams, batch.stream + 1);
    for (Index s = 0; s < streams; ++s) {
      stream_.emplace_back();
      first_type_done_.emplace_back();
    }
  }

  void run() override {
    this->clear_result();
    launch(false);
    // Sums are read by whatever stream.
    for (std::size_t s = 0; s < stream_.size(); ++s)
      check(TRISWEEP_GPU(EventRecord)(first_type_done_[s].get(), stream_[s].get()), "an event");
    for (const GpuStream& stream : stream_) {
      for (const GpuEvent& done : first_type_done_)
        check(TRISWEEP_GPU(StreamWaitEvent)(stream.get(), done.get(), 0), "waiting for a stream");
    }
    launch(true);
    for (const GpuStream& stream : stream_) check(TRISWEEP_GPU(StreamSynchronize)(stream.get()), "a product");
  }

 private:
  void launch(bool of_left) {
    const auto* const kernel = reinterpret_cast<const void*>(&run_batch<device::NumberOf<T>>);
    for (GemvBatch& batch : batch_) {
      if (batch.of_left != of_left) continue;
      const auto blocks = static_cast<unsigned>((batch.gemv.end - batch.gemv.begin) * batch.parts);
      const auto threads = static_cast<unsigned>(batch.groups * slab_rows);
      std::array<void*, 2> arguments{&this->view(), &batch};
      check(TRISWEEP_GPU(LaunchKernel)(kernel, dim3(blocks), dim3(threads), arguments.data(), 0,
                                       stream_[usize(batch.stream)].get()),
            "launching a batch");
    }
  }

  std::vector<GemvBatch> batch_;
  std::deque<GpuStream> stream_;
  std::deque<GpuEvent> first_type_done_;
};

}  // namespace

template <Scalar T>
std::unique_ptr<device::KernelRunner<T>> run_launches_on_gpu(LaunchPlan plan) {
  if (plan.is_merged) return device::run_gemv_on_gpu<T>(std::move(plan));
  if (plan.is_padded) store_padded<T>(plan);
  return std::make_unique<GpuBatches<T>>(plan);
}

#define INSTANTIATE(T) template std::unique_ptr<device::KernelRunner<T>> run_launches_on_gpu(LaunchPlan);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::studies
