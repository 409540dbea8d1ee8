#include "studies/himv/batch_kernel.hpp"
#include "studies/himv/launch_runner.hpp"
#include "trisweep/core/parallel_for.hpp"
#include "trisweep/device/host_gemv.hpp"

namespace trisweep::studies {
namespace {

template <Scalar T>
class HostBatches final : public device::HostGemv<T> {
 public:
  HostBatches(LaunchPlan plan, ThreadPool& pool)
      : device::HostGemv<T>(plan, pool, plan.slack), plan_(std::move(plan)) {}

  void run() override {
    const auto view = this->view_of(plan_, plan_.stored_panels());
    this->clear_result();
    for (const bool of_left : {false, true}) launch(view, of_left);
  }

 private:
  void launch(const GemvView<device::NumberOf<T>>& view, bool of_left) {
    for (const GemvBatch& batch : plan_.batch) {
      if (batch.of_left != of_left) continue;
      const Offset blocks = Offset{batch.gemv.end - batch.gemv.begin} * batch.parts;
      parallel_for(this->pool(), usize(blocks), [&](int, std::size_t i) {
        run_block(view, batch, static_cast<Offset>(i), device::HostBlock{});
      });
    }
  }

  LaunchPlan plan_;
};

}  // namespace

template <Scalar T>
std::unique_ptr<device::KernelRunner<T>> run_launches_on_host(LaunchPlan plan, ThreadPool& pool) {
  if (plan.is_merged) return device::run_gemv_on_host<T>(std::move(plan), pool);
  if (plan.is_padded) store_padded<T>(plan);
  return std::make_unique<HostBatches<T>>(std::move(plan), pool);
}

#define INSTANTIATE(T) \
  template std::unique_ptr<device::KernelRunner<T>> run_launches_on_host(LaunchPlan, ThreadPool&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::studies
