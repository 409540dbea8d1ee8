#include "solve_peers.hpp"

#include <cudss.h>

#include <numeric>

#include "cusparse.hpp"
#include "trisweep/core/slabs.hpp"

namespace trisweep::bench {
namespace {

// L or U, without their unit diagonals. Panels of both have one row for each row outside the supernode: U's
// are transposed.
GpuCsr factor_of(const System& system, bool lower) {
  const symbolic::Structure& s = system.structure();
  const auto& factors = *system.made.factors;
  const auto for_each_entry = [&](const auto& visit) {
    for (Index k = 0; k < s.supernodes(); ++k) {
      const bool of_l = lower || system.is_cholesky();
      const double* const panel = of_l ? factors.lower_panel(k) : factors.upper_panel(k);
      Index i = 0;
      for (const Index row : s.rows(k)) {
        for (Index j = 0; j < s.width(k); ++j) {
          const Index column = s.first[usize(k)] + j;
          const double value = panel[slab_entry(s.height(k), s.width(k), i, j)];
          lower ? visit(row, column, value) : visit(column, row, value);
        }
        ++i;
      }
    }
  };
  std::vector<Index> begin(usize(s.n) + 1);
  for_each_entry([&](Index row, Index, double) { ++begin[usize(row) + 1]; });
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<Index> column(usize(begin.back())), next(begin);
  std::vector<double> value(column.size());
  for_each_entry([&](Index row, Index col, double entry) {
    const auto at = usize(next[usize(row)]++);
    column[at] = col;
    value[at] = entry;
  });
  return {begin, column, value};
}

// A single sweep has no error to verify; zero right-hand sides have zero solutions.
void measure_cusparse(const System& system, bool lower, Index nrhs, const Report& report) {
  const GpuCsr factor = factor_of(system, lower);
  CuSparse sweep(factor, {.upper = !lower, .unit = true}, nrhs);
  report(std::string("cuSPARSE, ") + (lower ? "L" : "U") + " alone", nrhs,
         median_seconds([&] { sweep.solve(); }), 0);
}

void measure_cudss(const System& system, Index nrhs, const Report& report) {
  const auto& a = system.a;
  const auto n = usize(a.rows());
  std::vector<Index> begin(a.pattern.row_ptr.begin(), a.pattern.row_ptr.end());
  const GpuCsr matrix(begin, {a.pattern.col.begin(), a.pattern.col.end()}, a.value);
  const GpuBuffer b(8 * n * usize(nrhs)), x(8 * n * usize(nrhs));
  b.fill(system.b.data(), 8 * n * usize(nrhs));
  cudssHandle_t handle{};
  cudssConfig_t config{};
  cudssData_t data{};
  cudssMatrix_t left{}, right{}, solution{};
  require(cudssCreate(&handle), "cudssCreate");
  require(cudssConfigCreate(&config), "cudssConfigCreate");
  require(cudssDataCreate(handle, &data), "cudssDataCreate");
  const auto type = system.is_cholesky() ? CUDSS_MTYPE_SPD : CUDSS_MTYPE_GENERAL;
  require(cudssMatrixCreateCsr(&left, a.rows(), a.rows(), matrix.entries, matrix.begin.as<void>(), nullptr,
                               matrix.column.as<void>(), matrix.value.as<void>(), CUDA_R_32I, CUDA_R_32I,
                               CUDA_R_64F, type, CUDSS_MVIEW_FULL, CUDSS_BASE_ZERO),
          "cudssMatrixCreateCsr");
  const auto dense = [&](cudssMatrix_t& to, const GpuBuffer& values) {
    require(cudssMatrixCreateDn(&to, a.rows(), nrhs, a.rows(), values.as<void>(), CUDA_R_64F,
                                CUDSS_LAYOUT_COL_MAJOR),
            "cudssMatrixCreateDn");
  };
  dense(right, b);
  dense(solution, x);
  // Old row of each new row.
  std::vector<int> order(n);
  const auto& place = system.made.analysis->ordering.col_new;
  for (std::size_t i = 0; i < n; ++i) order[usize(place[i])] = static_cast<int>(i);
  require(cudssDataSet(handle, data, CUDSS_DATA_USER_PERM, order.data(), n * sizeof(int)), "cudssDataSet");
  const auto run = [&](int phase) {
    require(cudssExecute(handle, phase, config, data, left, solution, right), "cudssExecute");
    require(cudaDeviceSynchronize(), "cuDSS");
  };
  run(CUDSS_PHASE_ANALYSIS);
  run(CUDSS_PHASE_FACTORIZATION);
  const double seconds = median_seconds([&] { run(CUDSS_PHASE_SOLVE); });
  std::vector<double> answer(n * usize(nrhs));
  x.read(answer.data(), 8 * answer.size());
  std::int64_t entries = 0;  // the same number as ours, if it has used our ordering
  require(cudssDataGet(handle, data, CUDSS_DATA_LU_NNZ, &entries, sizeof entries, nullptr), "cudssDataGet");
  report("cuDSS, " + std::to_string(entries) + " entries", nrhs, seconds,
         system.backward_error(answer, nrhs));
  cudssMatrixDestroy(left);
  cudssMatrixDestroy(right);
  cudssMatrixDestroy(solution);
  cudssDataDestroy(handle, data);
  cudssConfigDestroy(config);
  cudssDestroy(handle);
}

}  // namespace

void measure_peers(const System& system, const Report& report) {
  const Index many = static_cast<Index>(system.b.size() / usize(system.a.rows()));
  for (const Index nrhs : {Index{1}, many}) {
    for (const bool lower : {true, false}) measure_cusparse(system, lower, nrhs, report);
    measure_cudss(system, nrhs, report);
  }
}

}  // namespace trisweep::bench
