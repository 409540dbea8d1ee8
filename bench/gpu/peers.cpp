#include "peers.hpp"

#include <cudss.h>
#include <cusparse.h>

#include <numeric>
#include <optional>

#include "trisweep/core/error.hpp"
#include "trisweep/core/slabs.hpp"

namespace trisweep::bench {
namespace {

using device::GpuBuffer;

template <class Status>
void require(Status status, const char* call) {
  if (status != Status{}) throw Error(ErrorKind::environment, std::string(call) + " failed");
}

// A sparse matrix in the device's memory, rows compressed.
struct GpuCsr {
  Index rows;
  GpuBuffer begin, column, value;
  std::int64_t entries;

  GpuCsr(const std::vector<Index>& begins, const std::vector<Index>& columns,
         const std::vector<double>& values)
      : rows(static_cast<Index>(begins.size()) - 1),
        begin(begins.size() * sizeof(Index)),
        column(columns.size() * sizeof(Index)),
        value(values.size() * sizeof(double)),
        entries(std::ssize(values)) {
    begin.fill(begins.data(), begins.size() * sizeof(Index));
    column.fill(columns.data(), columns.size() * sizeof(Index));
    value.fill(values.data(), values.size() * sizeof(double));
  }
};

// L or U, whose unit diagonals are left out. Panels of both have a row for each row that is not of the
// supernode: U's are transposed.
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

// One triangular solve of cuSPARSE's, analysed before: SpSV for one right-hand side, SpSM for many.
class CuSparse {
 public:
  CuSparse(const GpuCsr& m, bool lower, Index nrhs)
      : nrhs_(nrhs), b_(usize(m.rows) * usize(nrhs) * 8), x_(usize(m.rows) * usize(nrhs) * 8) {
    require(cusparseCreate(&handle_), "cusparseCreate");
    require(cusparseCreateCsr(&matrix_, m.rows, m.rows, m.entries, m.begin.as<void>(), m.column.as<void>(),
                              m.value.as<void>(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                              CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
            "cusparseCreateCsr");
    cusparseFillMode_t fill = lower ? CUSPARSE_FILL_MODE_LOWER : CUSPARSE_FILL_MODE_UPPER;
    cusparseDiagType_t diagonal = CUSPARSE_DIAG_TYPE_UNIT;
    require(cusparseSpMatSetAttribute(matrix_, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill), "fill mode");
    require(cusparseSpMatSetAttribute(matrix_, CUSPARSE_SPMAT_DIAG_TYPE, &diagonal, sizeof diagonal),
            "diagonal");
    nrhs == 1 ? analyse_one(m.rows) : analyse_many(m.rows);
  }

  void solve() {
    if (nrhs_ == 1) {
      require(cusparseSpSV_solve(handle_, op_, &one_, matrix_, b_vector_, x_vector_, CUDA_R_64F,
                                 CUSPARSE_SPSV_ALG_DEFAULT, one_plan_),
              "cusparseSpSV_solve");
    } else {
      require(cusparseSpSM_solve(handle_, op_, op_, &one_, matrix_, b_matrix_, x_matrix_, CUDA_R_64F,
                                 CUSPARSE_SPSM_ALG_DEFAULT, many_plan_),
              "cusparseSpSM_solve");
    }
    require(cudaDeviceSynchronize(), "cuSPARSE");
  }

 private:
  void analyse_one(Index rows) {
    std::size_t bytes = 0;
    require(cusparseCreateDnVec(&b_vector_, rows, b_.as<void>(), CUDA_R_64F), "cusparseCreateDnVec");
    require(cusparseCreateDnVec(&x_vector_, rows, x_.as<void>(), CUDA_R_64F), "cusparseCreateDnVec");
    require(cusparseSpSV_createDescr(&one_plan_), "cusparseSpSV_createDescr");
    require(cusparseSpSV_bufferSize(handle_, op_, &one_, matrix_, b_vector_, x_vector_, CUDA_R_64F,
                                    CUSPARSE_SPSV_ALG_DEFAULT, one_plan_, &bytes),
            "cusparseSpSV_bufferSize");
    work_.emplace(bytes);
    require(cusparseSpSV_analysis(handle_, op_, &one_, matrix_, b_vector_, x_vector_, CUDA_R_64F,
                                  CUSPARSE_SPSV_ALG_DEFAULT, one_plan_, work_->as<void>()),
            "cusparseSpSV_analysis");
  }
  void analyse_many(Index rows) {
    std::size_t bytes = 0;
    require(cusparseCreateDnMat(&b_matrix_, rows, nrhs_, rows, b_.as<void>(), CUDA_R_64F, CUSPARSE_ORDER_COL),
            "cusparseCreateDnMat");
    require(cusparseCreateDnMat(&x_matrix_, rows, nrhs_, rows, x_.as<void>(), CUDA_R_64F, CUSPARSE_ORDER_COL),
            "cusparseCreateDnMat");
    require(cusparseSpSM_createDescr(&many_plan_), "cusparseSpSM_createDescr");
    require(cusparseSpSM_bufferSize(handle_, op_, op_, &one_, matrix_, b_matrix_, x_matrix_, CUDA_R_64F,
                                    CUSPARSE_SPSM_ALG_DEFAULT, many_plan_, &bytes),
            "cusparseSpSM_bufferSize");
    work_.emplace(bytes);
    require(cusparseSpSM_analysis(handle_, op_, op_, &one_, matrix_, b_matrix_, x_matrix_, CUDA_R_64F,
                                  CUSPARSE_SPSM_ALG_DEFAULT, many_plan_, work_->as<void>()),
            "cusparseSpSM_analysis");
  }

  // Handles last as long as the program.
  static constexpr auto op_ = CUSPARSE_OPERATION_NON_TRANSPOSE;
  Index nrhs_;
  double one_ = 1;
  GpuBuffer b_, x_;
  std::optional<GpuBuffer> work_;
  cusparseHandle_t handle_{};
  cusparseSpMatDescr_t matrix_{};
  cusparseDnVecDescr_t b_vector_{}, x_vector_{};
  cusparseDnMatDescr_t b_matrix_{}, x_matrix_{};
  cusparseSpSVDescr_t one_plan_{};
  cusparseSpSMDescr_t many_plan_{};
};

// Its sweeps have no error of their own to judge: zero right-hand sides have zero solutions.
void measure_cusparse(const System& system, bool lower, Index nrhs, const Report& report) {
  const GpuCsr factor = factor_of(system, lower);
  CuSparse sweep(factor, lower, nrhs);
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
  // By new row: the old one.
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
  std::int64_t entries = 0;  // as many as ours, if it has taken our ordering
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
