// The kernels of gemv.hpp, by nvcc or hipcc.

#include <array>
#include <deque>

#include "trisweep/device/gemv_runner.hpp"
#include "trisweep/device/gpu_kernel.hpp"

namespace trisweep::device {
namespace {

template <class T>
__global__ void run_batch(GemvView<T> view, GemvBatch batch) {
  run_block(view, batch, static_cast<Offset>(blockIdx.x), GpuBlock());
}
template <class T>
__global__ void __launch_bounds__(threads_of_block) run_all(GemvView<T> view, Count workers, Count number) {
  run_merged(view, workers, number, GpuBlock());
}

template <class A>
DeviceArray<A> on_device(const std::vector<A>& list) {
  return DeviceArray<A>(std::span<const A>(list));
}
template <class A>
ArrayView<A> view_of(const DeviceArray<A>& array) {
  return {array.data(), static_cast<Index>(array.size())};
}

template <Scalar T>
class GpuGemv final : public GemvRunner<T> {
 public:
  explicit GpuGemv(const GemvPlan& plan)
      : is_merged_(plan.is_merged),
        columns_(usize(plan.columns)),
        batch_(plan.batch),
        panels_(plan.panels()),
        gemv_(on_device(plan.gemv)),
        strip_(on_device(plan.strip)),
        x_(usize(plan.columns + plan.slack)),
        sums_(usize(plan.sums + plan.slack)),
        y_(usize(plan.rows)),
        control_(1),
        view_{.panels = panels_.data(),
              .gemv = view_of(gemv_),
              .strip = view_of(strip_),
              .right = plan.right,
              .x = reinterpret_cast<const Number*>(x_.data()),
              .sums = reinterpret_cast<Number*>(sums_.data()),
              .y = reinterpret_cast<Number*>(y_.data()),
              .control = control_.data()},
        workers_(resident_blocks(reinterpret_cast<const void*>(&run_all<Number>))) {
    Index streams = 1;
    for (const GemvBatch& batch : batch_) streams = std::max(streams, batch.stream + 1);
    for (Index s = 0; s < streams; ++s) {
      stream_.emplace_back();
      first_type_done_.emplace_back();
    }
  }

  void copy(const T* from, T* to, std::size_t count) const override { device::copy(to, from, count); }
  void run() override {
    launch();
    for (const GpuStream& stream : stream_) check(TRISWEEP_GPU(StreamSynchronize)(stream.get()), "a product");
  }

 private:
  using Number = NumberOf<T>;

  void bring_in(const T* x) override { copy(x, x_.data(), columns_); }
  void bring_out(T* y) override { copy(y_.data(), y, y_.size()); }

  void launch() {
    if (is_merged_) return launch_merged();
    check(TRISWEEP_GPU(Memset)(y_.data(), 0, y_.size() * sizeof(T)), "clearing a vector");
    launch_batches(false);
    // Sums are read by whatever stream.
    for (std::size_t s = 0; s < stream_.size(); ++s)
      check(TRISWEEP_GPU(EventRecord)(first_type_done_[s].get(), stream_[s].get()), "an event");
    for (const GpuStream& stream : stream_) {
      for (const GpuEvent& done : first_type_done_)
        check(TRISWEEP_GPU(StreamWaitEvent)(stream.get(), done.get(), 0), "waiting for a stream");
    }
    launch_batches(true);
  }

  void launch_merged() {
    ++products_;
    launch_together(reinterpret_cast<const void*>(&run_all<Number>), workers_, stream_.front().get(), view_,
                    static_cast<Count>(workers_), products_);
  }

  void launch_batches(bool of_left) {
    for (GemvBatch& batch : batch_) {
      if (batch.of_left != of_left) continue;
      const auto blocks = static_cast<unsigned>((batch.gemv.end - batch.gemv.begin) * batch.parts);
      const auto threads = static_cast<unsigned>(batch.groups * slab_rows);
      std::array<void*, 2> arguments{&view_, &batch};
      check(
          TRISWEEP_GPU(LaunchKernel)(reinterpret_cast<const void*>(&run_batch<Number>), dim3(blocks),
                                     dim3(threads), arguments.data(), 0, stream_[usize(batch.stream)].get()),
          "launching a batch");
    }
  }

  bool is_merged_;
  std::size_t columns_;  // of x, before the slack
  std::vector<GemvBatch> batch_;
  DeviceArray<std::byte> panels_;
  DeviceArray<Gemv> gemv_;
  DeviceArray<GemvStrip> strip_;
  DeviceArray<T> x_, sums_, y_;
  DeviceArray<GemvControl> control_;
  GemvView<Number> view_;
  int workers_;
  std::deque<GpuStream> stream_;
  std::deque<GpuEvent> first_type_done_;
  Count products_ = 0;
};

}  // namespace

template <Scalar T>
std::unique_ptr<GemvRunner<T>> run_gemv_on_gpu(GemvPlan plan) {
  if (plan.is_padded) store_padded<T>(plan);
  return std::make_unique<GpuGemv<T>>(plan);
}

#define INSTANTIATE(T) template std::unique_ptr<GemvRunner<T>> run_gemv_on_gpu(GemvPlan);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::device
