#pragma once
// Programs of all PEs of one process on its GPUs.

#include <gtest/gtest.h>

#include "device/virtual_pes.hpp"
#include "trisweep/device/local_pes.hpp"

namespace trisweep::testing_support {

inline constexpr backend::Device gpu = backend::Device::TRISWEEP_GPU_KIND;

class Gpu : public testing::Test {
 protected:
  void SetUp() override {
    if (backend::runtime(gpu).count() == 0) GTEST_SKIP() << "no GPU: what it would compute is not tested";
  }
};

// The panels of all PEs.
template <Scalar T>
struct AllPanels {
  std::vector<std::array<std::vector<T>, 3>> values;
  std::vector<device::PanelSpans<T>> views;

  AllPanels(const Programs& programs, const MadeUpFactors<T>& factors) : values(programs.plans.size()) {
    for (std::size_t p = 0; p < values.size(); ++p) {
      for (const auto side : distribution::sides)
        values[p][static_cast<std::size_t>(side)] = factors.stored(programs.plans[p].local_blocks, side);
      views.push_back({values[p][0], values[p][1], values[p][2]});
    }
  }
};

template <Scalar T>
std::vector<T> solve_on_gpu(device::LocalPes<T>& pes, const VirtualPes<T>& host, const Programs& programs,
                            const std::vector<T>& b, Index nrhs) {
  host.load(b, nrhs);
  const auto rows_of = [&](std::size_t p) {
    return std::span(host.pe(p).rows(), usize(programs.plans[p].local_blocks.work_rows()) * usize(nrhs));
  };
  for (std::size_t p = 0; p < programs.plans.size(); ++p) pes.copy_to_rows(p, rows_of(p));
  pes.solve(nrhs, {}, 10);
  pes.wait();
  for (std::size_t p = 0; p < programs.plans.size(); ++p) pes.read_rows(rows_of(p), 0, p);
  return host.store(nrhs);
}

}  // namespace trisweep::testing_support
