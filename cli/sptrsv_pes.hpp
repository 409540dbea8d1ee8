#pragma once
// trisweep sptrsv --pes N: how the multi-GPU zero-copy paper's designs and ours would solve on N PEs, counted
// and timed by a clock.

#include <nlohmann/json.hpp>
#include <string>

#include "command.hpp"
#include "trisweep/component/virtual_pes.hpp"

namespace trisweep::cli {

struct PeStudy {
  int pes = 0;  // none: threads solve
  int tasks = 8;
  std::string machine = "dgx-1";
};
// Returns --pes.
CLI::Option* add_pe_options(CLI::App& sub, PeStudy& study);

class PeRun {
 public:
  // Errors of find_design() and find_machine(); Error(usage) for a machine that has no GPUs.
  PeRun(const PeStudy& study, const std::string& design);

  template <Scalar T>
  void solve(const component::LowerSystem<T>& system, Vectors<const T> b, Vectors<T> x) {
    report_ = component::VirtualPes<T>(system, design_, options_).solve(b, x);
  }

  void add_to(nlohmann::ordered_json& record) const;
  std::string summary() const;

 private:
  const PeStudy& study_;
  const component::NamedDesign& design_;
  component::PeOptions options_;
  component::PeReport report_;
};

}  // namespace trisweep::cli
