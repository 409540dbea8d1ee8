// Rows on a GPU, where the build has kernels for one.

#include "trisweep/sptrsv/row_runner.hpp"
#if defined(TRISWEEP_CUDA) || defined(TRISWEEP_HIP)
#include "trisweep/sptrsv/gpu_rows.hpp"
#endif

namespace trisweep::sptrsv {

#if defined(TRISWEEP_CUDA) || defined(TRISWEEP_HIP)

namespace {

template <Scalar T>
class GpuRowRunner final : public RowRunner<T> {
 public:
  explicit GpuRowRunner(const OrderedRows<T>& rows) : rows_(rows) {}
  void solve(Vectors<const T> b, Vectors<T> x) override {
    rows_.solve(b, x);
    rows_.wait();
  }

 private:
  GpuRows<T> rows_;
};

}  // namespace

template <Scalar T>
std::unique_ptr<RowRunner<T>> run_rows_on_gpu(const OrderedRows<T>& rows, engine::Device device) {
  engine::require_device(device);
  return std::make_unique<GpuRowRunner<T>>(rows);
}

#else

template <Scalar T>
std::unique_ptr<RowRunner<T>> run_rows_on_gpu(const OrderedRows<T>& /*rows*/, engine::Device device) {
  engine::require_device(device);
  return nullptr;
}

#endif

#define INSTANTIATE(T) \
  template std::unique_ptr<RowRunner<T>> run_rows_on_gpu(const OrderedRows<T>&, engine::Device);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::sptrsv
