#include "trisweep/device/host_gemv.hpp"

namespace trisweep::device {
namespace {

template <Scalar T>
class HostMergedGemv final : public HostGemv<T> {
 public:
  HostMergedGemv(GemvPlan plan, ThreadPool& pool) : HostGemv<T>(plan, pool), plan_(std::move(plan)) {}

  void run() override {
    const auto view = this->view_of(plan_, plan_.panels);
    ++products_;
    ThreadPool& pool = this->pool();
    pool.run([&](int) { run_merged(view, static_cast<Count>(pool.size()), products_, HostBlock{}); });
  }

 private:
  GemvPlan plan_;
  Count products_ = 0;
};

}  // namespace

template <Scalar T>
std::unique_ptr<KernelRunner<T>> run_gemv_on_host(GemvPlan plan, ThreadPool& pool) {
  return std::make_unique<HostMergedGemv<T>>(std::move(plan), pool);
}

#define INSTANTIATE(T) template std::unique_ptr<KernelRunner<T>> run_gemv_on_host(GemvPlan, ThreadPool&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::device
