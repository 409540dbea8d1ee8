#include "cublas.hpp"

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <deque>

#include "device.hpp"
#include "studies/himv/launch_plan.hpp"
#include "trisweep/core/error.hpp"
#include "trisweep/device/packed_numbers.hpp"

namespace trisweep::bench {
namespace {

using device::Gemv;
using studies::LaunchPlan;

template <class Status>
void require(Status status, const char* call) {
  if (status != Status{}) throw Error(ErrorKind::environment, std::string(call) + " failed");
}

// Panels of one shape, multiplied in one way. Owns arrays of pointers in device memory.
struct Batch {
  studies::PanelShape shape;
  bool transposed;
  int count;
  GpuBuffer panels, sources, targets;

  Batch(studies::PanelShape of_each, bool are_transposed, std::size_t size)
      : shape(of_each),
        transposed(are_transposed),
        count(static_cast<int>(size)),
        panels(size * sizeof(double*)),
        sources(size * sizeof(double*)),
        targets(size * sizeof(double*)) {}
};

// The panels of a padded plan, column-major.
class Padded {
 public:
  explicit Padded(LaunchPlan plan)
      : panels_(usize(panel_numbers(plan)) * sizeof(double)),
        source_(usize(plan.columns + plan.slack) * sizeof(double)),
        target_(usize(target_size(plan)) * sizeof(double)) {
    std::vector<double> numbers;
    Offset target = 0;
    for (const studies::GemvBatch& batch : plan.batch) {
      for (const bool transposed : {false, true}) add(plan, batch, transposed, numbers, target);
    }
    panels_.fill(numbers.data(), numbers.size() * sizeof(double));
  }

  Offset launches() const { return std::ssize(batch_); }
  Offset panels() const {
    Offset count = 0;
    for (const Batch& batch : batch_) count += batch.count;
    return count;
  }

  void multiply_batched(cublasHandle_t handle) const {
    for (const Batch& b : batch_)
      require(
          cublasDgemvBatched(handle, b.transposed ? CUBLAS_OP_T : CUBLAS_OP_N, b.shape.rows, b.shape.cols,
                             &one_, b.panels.as<const double*>(), b.shape.rows, b.sources.as<const double*>(),
                             1, &zero_, b.targets.as<double*>(), 1, b.count),
          "cublasDgemvBatched");
  }
  // One call for each panel, cycling through the streams.
  void multiply_each(cublasHandle_t handle, const std::array<cudaStream_t, 5>& streams) const {
    std::size_t turn = 0;
    for (const Single& s : single_) {
      require(cublasSetStream(handle, streams[turn++ % streams.size()]), "cublasSetStream");
      require(cublasDgemv(handle, s.transposed ? CUBLAS_OP_T : CUBLAS_OP_N, s.rows, s.cols, &one_, s.panel,
                          s.ld, s.source, 1, &zero_, s.target, 1),
              "cublasDgemv");
    }
  }

 private:
  struct Single {
    bool transposed;
    int rows, cols, ld;
    const double *panel, *source;
    double* target;
  };

  static Offset target_size(const LaunchPlan& plan) {
    Offset size = 0;
    for (const studies::GemvBatch& batch : plan.batch)
      size +=
          Offset{batch.gemv.end - batch.gemv.begin} * std::max(batch.largest[0].rows, batch.largest[1].cols);
    return size;
  }

  static Offset panel_numbers(const LaunchPlan& plan) {
    Offset numbers = 0;
    for (const studies::GemvBatch& batch : plan.batch) {
      for (Index i = batch.gemv.begin; i < batch.gemv.end; ++i) {
        const studies::PanelShape& shape = batch.largest[plan.gemv[usize(i)].is_transposed() ? 1 : 0];
        numbers += Offset{shape.rows} * shape.cols;
      }
    }
    return numbers;
  }

  void add(const LaunchPlan& plan, const studies::GemvBatch& batch, bool transposed,
           std::vector<double>& numbers, Offset& target) {
    const studies::PanelShape shape = batch.largest[transposed ? 1 : 0];
    std::vector<const double*> panels, sources;
    std::vector<double*> targets;
    for (Index i = batch.gemv.begin; i < batch.gemv.end; ++i) {
      const Gemv& g = plan.gemv[usize(i)];
      if (g.is_transposed() != transposed) continue;
      panels.push_back(panels_.as<double>() + numbers.size());
      device::for_each_column<double>(plan.stored_panels().data() + g.panel,
                                      [&](Index, const device::PackedColumn<double>& column) {
                                        for (Index row = 0; row < shape.rows; ++row)
                                          numbers.push_back(column.step() * column(row));
                                      });
      // For U the source are sums; any values serve for timing.
      sources.push_back(source_.as<double>() + (g.kind == device::GemvKind::rows_of_sums ? 0 : g.source));
      targets.push_back(target_.as<double>() + target);
      target += transposed ? shape.cols : shape.rows;
      single_.push_back(
          {transposed, g.rows, g.cols, shape.rows, panels.back(), sources.back(), targets.back()});
    }
    if (panels.empty()) return;
    const Batch& made = batch_.emplace_back(shape, transposed, panels.size());
    made.panels.fill(panels.data(), panels.size() * sizeof(double*));
    made.sources.fill(sources.data(), sources.size() * sizeof(double*));
    made.targets.fill(targets.data(), targets.size() * sizeof(double*));
  }

  double one_ = 1, zero_ = 0;
  GpuBuffer panels_, source_, target_;
  std::deque<Batch> batch_;
  std::vector<Single> single_;
};

}  // namespace

void measure_cublas(const device::GemvTasks& tasks, const CublasReport& report) {
  LaunchPlan plan =
      studies::make_launch_plan(tasks, {.cut = studies::GemvCut::row_ranges, .count = 5000, .padded = true});
  studies::store_padded<double>(plan);
  const Padded padded(std::move(plan));
  cublasHandle_t handle{};
  require(cublasCreate(&handle), "cublasCreate");
  const auto time = [](const auto& multiply) {
    return median_seconds([&] {
      multiply();
      require(cudaDeviceSynchronize(), "cuBLAS");
    });
  };
  report("cublasDgemvBatched, padded", padded.launches(), time([&] { padded.multiply_batched(handle); }));
  std::array<cudaStream_t, 5> streams{};
  for (cudaStream_t& stream : streams) require(cudaStreamCreate(&stream), "cudaStreamCreate");
  report("cublasDgemv, 5 streams", padded.panels(), time([&] { padded.multiply_each(handle, streams); }));
  cublasDestroy(handle);
}

}  // namespace trisweep::bench
