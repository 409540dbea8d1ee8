#pragma once
// trisweep sptrsv --pes N: solves by the multi-GPU zero-copy paper's designs and ours on N PEs, either
// simulated, with counted operations and modelled time, or executed on a device.

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "command.hpp"
#include "studies/pes/device_pes.hpp"
#include "trisweep/core/error.hpp"

namespace trisweep::cli {

struct PeStudy {
  int pes = 0;  // 0: threads or one device solve
  int tasks = 8;
  std::string machine = "dgx-1";
  bool one_stream = false;  // only for a prediction
};
void add_pe_options(CLI::App& sub, PeStudy& study);

class PeRun {
 public:
  // Throws as find_design() and find_machine(); Error(usage) for a machine without GPUs.
  PeRun(const PeStudy& study, const std::string& design);

  template <Scalar T>
  void predict(const sptrsv::LowerSystem<T>& system, Vectors<const T> b, Vectors<T> x) {
    report_ = studies::VirtualPes<T>(system, design_, options_).solve(b, x);
  }
  // On the emulated device each PE has this many threads. With several `ranks`, each has one PE. Collective.
  template <Scalar T>
  studies::DevicePes<T> on_device(const sptrsv::LowerSystem<T>& system, engine::Device device, int threads,
                                  const mpi::Communicator& ranks) {
    if (study_.one_stream)
      throw Error(ErrorKind::usage, "--one-stream is for predictions: on a device a task is not a launch",
                  "leave out --one-stream or --device");
    counts_pages_ = device == engine::Device::emulated;
    return {system,
            design_,
            {.device = device,
             .threads = threads,
             .layout = options_.layout,
             .costs = options_.costs,
             .ranks = ranks.size() > 1 ? &ranks : nullptr}};
  }
  void set(studies::PeReport report) { report_ = std::move(report); }

  void add_prediction_to(nlohmann::ordered_json& record) const;
  nlohmann::ordered_json details() const;
  std::string size() const;  // in words
  std::string summary_of_prediction() const;
  std::string summary_of_pes() const;

 private:
  int tasks() const { return design_.has_tasks ? study_.tasks : 1; }

  const PeStudy& study_;
  const studies::NamedDesign& design_;
  studies::PeOptions options_;
  studies::PeReport report_;
  bool counts_pages_ = true;  // false on a GPU, whose driver migrates the pages
};

}  // namespace trisweep::cli
