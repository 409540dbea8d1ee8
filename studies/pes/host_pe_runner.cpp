#include "studies/pes/host_pes.hpp"
#include "studies/pes/pe_runner.hpp"
#include "studies/pes/pe_warp.hpp"
#include "trisweep/core/clock.hpp"
#include "trisweep/core/thread_pool.hpp"

namespace trisweep::studies {
namespace {

// Fewer than a GPU's, whose text they play: most columns are short.
using HostPeWarp = device::HostLanes<4>;

template <Scalar T>
class HostPeRunner final : public PeRunner<T> {
 public:
  using Number = device::NumberOf<T>;

  HostPeRunner(PePrograms<T> programs, int warps)
      : programs_(std::move(programs)),
        pes_(programs_),
        warps_(warps),
        pool_(static_cast<int>(programs_.pe.size()) * warps) {}

  PeReport solve(Vectors<const T> b, Vectors<T> x) override {
    pes_.reset();
    const PeTask<Number> task{reinterpret_cast<const Number*>(b.data), reinterpret_cast<Number*>(x.data)};
    const auto& views = pes_.views();
    const auto start = Clock::now();
    with_exchange(programs_.exchange, [&]<class Exchange>(Exchange) {
      pool_.run([&](int thread) {
        PeWarp<Number, Exchange, HostPeWarp>(views[usize(thread) % views.size()], task, {}).run();
      });
    });
    PeReport report{.seconds = seconds_since(start)};
    for (const auto& view : views)
      report.pe.push_back(outcome_of(*view.mine.control, report.seconds, warps_));
    return report;
  }

 private:
  PePrograms<T> programs_;
  HostPes<T> pes_;
  int warps_;
  ThreadPool pool_;
};

}  // namespace

template <Scalar T>
std::unique_ptr<PeRunner<T>> run_pes_on_host(PePrograms<T> programs, int warps) {
  return std::make_unique<HostPeRunner<T>>(std::move(programs), warps);
}

#define INSTANTIATE(T) template std::unique_ptr<PeRunner<T>> run_pes_on_host(PePrograms<T>, int);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::studies
