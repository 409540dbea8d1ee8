// The kernel of gemv.hpp, by nvcc or hipcc.

#include "trisweep/device/gpu_gemv.hpp"

namespace trisweep::device {
namespace {

template <class T>
__global__ void __launch_bounds__(threads_of_block) run_all(GemvView<T> view, Count workers, Count number) {
  run_merged(view, workers, number, GpuBlock());
}

template <Scalar T>
class GpuMergedGemv final : public GpuGemv<T> {
 public:
  explicit GpuMergedGemv(const GemvPlan& plan)
      : GpuGemv<T>(plan, plan.panels), workers_(resident_blocks(kernel())) {}

  void run() override {
    ++products_;
    launch_together(kernel(), workers_, stream_.get(), this->view(), static_cast<Count>(workers_), products_);
    check(TRISWEEP_GPU(StreamSynchronize)(stream_.get()), "a product");
  }

 private:
  static const void* kernel() { return reinterpret_cast<const void*>(&run_all<NumberOf<T>>); }

  int workers_;
  GpuStream stream_;
  Count products_ = 0;
};

}  // namespace

template <Scalar T>
std::unique_ptr<KernelRunner<T>> run_gemv_on_gpu(GemvPlan plan) {
  return std::make_unique<GpuMergedGemv<T>>(plan);
}

#define INSTANTIATE(T) template std::unique_ptr<KernelRunner<T>> run_gemv_on_gpu(GemvPlan);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::device
