#include "trisweep/solve/compressed_factors.hpp"

#include "trisweep/core/clock.hpp"
#include "trisweep/engine/panel_compressor.hpp"
#include "trisweep/model/cost.hpp"

namespace trisweep::solve {
namespace {

// Returns the bytes of all panels; for eps > 0, the expected bytes of tiles.
template <Scalar F, Scalar T>
double bytes_of_panels(const Analysis& analysis, double eps) {
  const symbolic::Structure& s = *analysis.structure;
  const model::Workload workload{
      .scalar_bytes = sizeof(T), .stored_bytes = sizeof(F), .complex = is_complex<T>, .compression_eps = eps};
  double bytes = 0;
  for (Index k = 0; k < s.supernodes(); ++k) {
    const Index w = s.width(k), m = s.height(k);
    bytes += model::panel_cost(w, w, workload).bytes;
    if (m == 0) continue;
    bytes += (numeric::has_upper(analysis.kind) ? 2 : 1) * model::panel_cost(m, w, workload).bytes;
  }
  return bytes;
}

distribution::LocalBlocks all_panels(const Analysis& analysis) {
  const distribution::Distribution alone(analysis.structure, distribution::mappings().front(), {});
  return distribution::make_local_blocks(*alone.structure, *alone.mapping, 0);
}

}  // namespace

template <Scalar F, Scalar T>
double expected_share(const Analysis& analysis, double eps) {
  return bytes_of_panels<F, T>(analysis, eps) / bytes_of_panels<F, T>(analysis, 0);
}

template <Scalar F, Scalar T>
CompressedFactors<F, T> try_factor_in_tiles(const matrix::Csr<T>& a,
                                            const std::shared_ptr<const Analysis>& analysis,
                                            const numeric::FactorizationOptions& options,
                                            const Compression& compression, Observer& observer) {
  CompressedFactors<F, T> result;
  auto start = Clock::now();
  const double eps = compression.eps;
  const double most = eps > 0 ? compression.most * bytes_of_panels<F, T>(*analysis, 0) : 0;
  const double expected = eps > 0 ? bytes_of_panels<F, T>(*analysis, eps) : 0;
  result.too_long = expected > most;
  if (eps > 0 && !result.too_long) {
    engine::PanelCompressor<T, F> sink(all_panels(*analysis), eps, options.threads, expected);
    result.factorization = try_factor<F>(a, analysis, options, observer, &sink);
    result.seconds = seconds_since(start) - sink.seconds();
    if (!result.factorization && analysis->kind == numeric::Kind::cholesky) return result;
    if (result.factorization) {
      auto panels = sink.finish(analysis->kind);
      auto tiles = std::make_shared<const MadeTiles<T>>(MadeTiles<T>{std::move(panels), sink.seconds()});
      result.too_long = double(tiles->panels.bytes()) > most;
      if (!result.too_long) {
        result.tiles = std::move(tiles);
        return result;
      }
    }
    result.lost_seconds = seconds_since(start);
    start = Clock::now();
  }
  result.factorization = try_factor<F>(a, analysis, options, observer);
  result.seconds = seconds_since(start);
  return result;
}

#define INSTANTIATE(F, T)                                                                                  \
  template double expected_share<F, T>(const Analysis&, double);                                           \
  template CompressedFactors<F, T> try_factor_in_tiles<F>(                                                 \
      const matrix::Csr<T>&, const std::shared_ptr<const Analysis>&, const numeric::FactorizationOptions&, \
      const Compression&, Observer&);
TRISWEEP_FOR_EACH_STORAGE(INSTANTIATE)

}  // namespace trisweep::solve
