#include <algorithm>
#include <atomic>

#include "trisweep/core/buffer.hpp"
#include "trisweep/device/gemv_runner.hpp"

namespace trisweep::device {
namespace {

template <Scalar T>
class HostGemv final : public GemvRunner<T> {
 public:
  HostGemv(GemvPlan plan, Crew& crew)
      : plan_(std::move(plan)),
        crew_(crew),
        x_(zeros<T>(usize(plan_.columns + plan_.slack), "x as a device has it")),
        sums_(zeros<T>(usize(plan_.sums + plan_.slack), "the sums of low-rank blocks")),
        y_(zeros<T>(usize(plan_.rows), "y as a device has it")) {}

  void copy(const T* from, T* to, std::size_t count) const override { std::copy_n(from, count, to); }
  void run() override {
    const auto view = view_of_memory();
    if (plan_.is_merged) return run_merged_kernel(view);
    std::fill_n(y_.data(), y_.size(), T{});
    for (const bool of_left : {false, true}) launch_batches(view, of_left);
  }

 private:
  using Number = NumberOf<T>;

  void bring_in(const T* x) override { copy(x, x_.data(), usize(plan_.columns)); }
  void bring_out(T* y) override { copy(y_.data(), y, usize(plan_.rows)); }

  GemvView<Number> view_of_memory() {
    const auto array = []<class A>(const std::vector<A>& list) {
      return ArrayView<A>{list.data(), static_cast<Index>(list.size())};
    };
    return {.panels = plan_.panels().data(),
            .gemv = array(plan_.gemv),
            .strip = array(plan_.strip),
            .right = plan_.right,
            .x = reinterpret_cast<const Number*>(x_.data()),
            .sums = reinterpret_cast<Number*>(sums_.data()),
            .y = reinterpret_cast<Number*>(y_.data()),
            .control = &control_};
  }

  void run_merged_kernel(const GemvView<Number>& view) {
    ++products_;
    crew_.run([&](int) { run_merged(view, static_cast<Count>(crew_.size()), products_, HostBlock{}); });
  }

  void launch_batches(const GemvView<Number>& view, bool of_left) {
    for (const GemvBatch& batch : plan_.batch) {
      if (batch.of_left != of_left) continue;
      const Offset blocks = Offset{batch.gemv.end - batch.gemv.begin} * batch.parts;
      std::atomic<Offset> next = 0;
      crew_.run([&](int) {
        const HostBlock block{};
        for (Offset i = next++; i < blocks; i = next++) run_block(view, batch, i, block);
      });
    }
  }

  GemvPlan plan_;
  Crew& crew_;
  Buffer<T> x_, sums_, y_;
  GemvControl control_;
  Count products_ = 0;
};

}  // namespace

template <Scalar T>
std::unique_ptr<GemvRunner<T>> run_gemv_on_host(GemvPlan plan, Crew& crew) {
  if (plan.is_padded) store_padded<T>(plan);
  return std::make_unique<HostGemv<T>>(std::move(plan), crew);
}

#define INSTANTIATE(T) template std::unique_ptr<GemvRunner<T>> run_gemv_on_host(GemvPlan, Crew&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::device
