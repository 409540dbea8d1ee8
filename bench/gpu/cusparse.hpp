#pragma once
// Triangular solves of cuSPARSE: SpSV and SpSM.

#include <cusparse.h>

#include <optional>
#include <string>
#include <vector>

#include "device.hpp"
#include "trisweep/core/error.hpp"
#include "trisweep/sptrsv/lower_system.hpp"

namespace trisweep::bench {

template <class Status>
void require(Status status, const char* call) {
  if (status != Status{}) throw Error(ErrorKind::environment, std::string(call) + " failed");
}

// A sparse matrix in the device's memory, in compressed rows.
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

// A triangular solve of cuSPARSE, with its analysis done at construction: SpSV for one right-hand side, SpSM
// for many.
class CuSparse {
 public:
  CuSparse(const GpuCsr& m, sptrsv::Form form, Index nrhs)
      : nrhs_(nrhs), b_(usize(m.rows) * usize(nrhs) * 8), x_(usize(m.rows) * usize(nrhs) * 8) {
    require(cusparseCreate(&handle_), "cusparseCreate");
    require(cusparseCreateCsr(&matrix_, m.rows, m.rows, m.entries, m.begin.as<void>(), m.column.as<void>(),
                              m.value.as<void>(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                              CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
            "cusparseCreateCsr");
    cusparseFillMode_t fill = form.upper ? CUSPARSE_FILL_MODE_UPPER : CUSPARSE_FILL_MODE_LOWER;
    cusparseDiagType_t diagonal = form.unit ? CUSPARSE_DIAG_TYPE_UNIT : CUSPARSE_DIAG_TYPE_NON_UNIT;
    require(cusparseSpMatSetAttribute(matrix_, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill), "fill mode");
    require(cusparseSpMatSetAttribute(matrix_, CUSPARSE_SPMAT_DIAG_TYPE, &diagonal, sizeof diagonal),
            "diagonal");
    nrhs == 1 ? analyse_one(m.rows) : analyse_many(m.rows);
  }

  // Vectors are column-major.
  void set(const std::vector<double>& b) { b_.fill(b.data(), 8 * b.size()); }
  void get(std::vector<double>& x) const { x_.read(x.data(), 8 * x.size()); }

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

  // Handles are never destroyed.
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

}  // namespace trisweep::bench
