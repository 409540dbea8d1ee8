#pragma once
// A factored gallery matrix, and its solves on the GPU by one PE or several virtual PEs, from b to x in
// device memory.

#include <algorithm>
#include <cmath>
#include <random>

#include "device.hpp"
#include "gallery/gallery.hpp"
#include "trisweep/device/local_pes.hpp"
#include "trisweep/distribution/distribution.hpp"
#include "trisweep/engine/panel_columns.hpp"
#include "trisweep/engine/panel_store.hpp"
#include "trisweep/krylov/inner_products.hpp"
#include "trisweep/model/analysis_options.hpp"
#include "trisweep/plan/make_plan.hpp"
#include "trisweep/plan/vectors.hpp"
#include "trisweep/solve/analysis.hpp"

namespace trisweep::bench {

struct System {
  std::string name;
  matrix::Csr<double> a;
  std::shared_ptr<const solve::Analysis> analysis;
  solve::Factorization<double> made;
  std::vector<double> b;  // column-major

  static model::PlanAxes axes() { return model::all_axes(1, {model::PlanChoice{}.transport}, true); }
  static solve::AnalysisOptions analysis_options(const std::string& diagonal) {
    return {.ordering = model::ordering_options(ordering::OrderingOptions{}.method, axes(), true),
            .symbolic = model::symbolic_options(diagonal, 1, true)};
  }

  // With the default choice of inverted diagonal blocks for GPUs, or another.
  System(const std::string& kind, Index n, Index nrhs, const std::string& diagonal = axes().diagonal.front())
      : name(kind + " " + std::to_string(n)),
        a(std::get<matrix::Csr<double>>(gallery::make_matrix(kind, {.n = n}))),
        analysis(std::make_shared<const solve::Analysis>(solve::analyze(a, analysis_options(diagonal)))),
        made(solve::factor<double>(a, analysis)),
        b(usize(a.rows()) * usize(nrhs)) {
    std::mt19937_64 random(1);
    for (double& value : b) value = std::uniform_real_distribution(-1.0, 1.0)(random);
  }

  const symbolic::Structure& structure() const { return *made.factors->structure; }
  bool is_cholesky() const { return made.factors->kind == numeric::Kind::cholesky; }
  // Bytes of the factors that a solve reads: both sweeps read those of Cholesky.
  double bytes_read() const {
    return double(made.factors->bytes()) + (is_cholesky() ? double(made.factors->lower.size() * 8) : 0);
  }

  // |b - A x| / (|A| |x| + |b|), the maximum over all equations (Oettli and Prager 1964).
  double backward_error(const std::vector<double>& x, Index nrhs) const {
    const auto n = usize(a.rows());
    double worst = 0;
    for (std::size_t at = 0; at < n * usize(nrhs); ++at) {
      const auto i = static_cast<Index>(at % n);
      const double* const column = x.data() + (at - usize(i));
      double rest = b[at], size = std::abs(rest);
      for (const Offset e : a.pattern.entries(i)) {
        const double product = a.value[usize(e)] * column[a.pattern.col[usize(e)]];
        rest -= product;
        size += std::abs(product);
      }
      worst = krylov::larger(worst, rest == 0 ? 0 : std::abs(rest) / size);
    }
    return worst;
  }
};

// A PE's pieces of factors that are all in this process.
inline engine::SideValues<double> pieces_of(const symbolic::Structure& s,
                                            const distribution::LocalBlocks& local_blocks,
                                            const numeric::Factors<double>& factors) {
  engine::SideValues<double> values;
  for (const distribution::Side side : distribution::sides) {
    if (side == distribution::Side::upper && !numeric::has_upper(factors.kind)) continue;
    const auto& part = local_blocks.side(side);
    auto& numbers = values[static_cast<std::size_t>(side)] =
        Buffer<double>(usize(part.value_ptr.back()), "the factors");
    for (Index p = 0; p < part.pieces(); ++p) {
      const Index k = part.supernode[usize(p)];
      engine::copy_piece<double>(engine::panel_of(s, side, k, factors), part.blocks(p),
                                 {numbers.data() + part.value_ptr[usize(p)], part.height(p), s.width(k)});
    }
  }
  return values;
}

// The programs of all PEs of a grid, and their panels.
class Pes {
 public:
  Pes(const System& system, const distribution::ProcessGrid& grid, Offset grain = plan::grain_of_gpus)
      : system_(system),
        distribution_(system.made.factors->structure, distribution::find_mapping("block-cyclic"), grid,
                      {.on_one_rank = true}),
        partition_(distribution::even_partition(system.a.rows(), grid.px * grid.py * grid.pz)) {
    const plan::PlanSpec spec{.upper_is_lower = system.is_cholesky(),
                              .vectors = std::make_shared<const plan::VectorPlaces>(
                                  plan::vector_places(system.made.analysis->ordering, partition_))};
    const auto& ordering = system.made.analysis->ordering;
    for (auto& rank : plan::make_all_plans(*distribution_.structure, *distribution_.mapping,
                                           plan::single_sync, spec, {.ordered = true, .grain = grain})) {
      programs_.push_back(device::make_program(*distribution_.structure, rank.local_blocks, rank.plan));
      values_.push_back(pieces_of(*distribution_.structure, rank.local_blocks, *system.made.factors));
      const auto& v = values_.back();
      panels_.push_back({v[0].span(), v[1].span(), v[2].span()});
      const auto first = usize(partition_.first(rank.local_blocks.rank)),
                 count = usize(partition_.count(rank.local_blocks.rank));
      data_.push_back({std::span(ordering.row_scale).subspan(first, count),
                       std::span(ordering.col_scale).subspan(first, count)});
    }
    device::connect(programs_);
  }

  struct ResidualView {
    double seconds;
    double backward_error;
    std::vector<device::Count> times;  // of PE 0's phases
  };
  ResidualView solve(Index nrhs, device::Scheduling scheduling = device::Scheduling::tickets) const {
    device::LocalPes<double> pes(programs_, nrhs, {.device = gpu, .data = data_, .scheduling = scheduling});
    pes.use(std::span<const device::PanelSpans<double>>(panels_));
    const auto size = usize(system_.a.rows()) * usize(nrhs);
    const backend::DeviceArray<double> b(gpu, size), x(gpu, size);
    backend::copy(gpu, b.data(), system_.b.data(), size);
    std::vector<device::PeVectors<double>> vectors;
    for (Index p = 0; p < static_cast<Index>(programs_.size()); ++p) {
      const auto part = [&](double* whole) {
        return Vectors<double>(whole + partition_.first(p), partition_.count(p), nrhs, system_.a.rows(),
                               MemorySpace::device);
      };
      vectors.push_back({part(b.data()), part(x.data())});
    }
    ResidualView done{.times = std::vector<device::Count>(programs_.front().part.size() + 1)};
    done.seconds = median_seconds([&] {
      pes.solve(nrhs, vectors, 10);
      pes.wait();
    });
    std::ranges::copy(pes.pe().times(), done.times.begin());
    std::vector<double> solution(size);
    backend::copy(gpu, solution.data(), x.data(), size);
    done.backward_error = system_.backward_error(solution, nrhs);
    return done;
  }
  const device::Program& program(std::size_t pe) const { return programs_[pe]; }

 private:
  const System& system_;
  distribution::Distribution distribution_;
  distribution::RowPartition partition_;
  std::vector<device::Program> programs_;
  std::vector<engine::SideValues<double>> values_;
  std::vector<device::PanelSpans<double>> panels_;
  std::vector<device::PeData<double>> data_;
};

}  // namespace trisweep::bench
