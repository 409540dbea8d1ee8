#include "trisweep/device/gpu_kernel.hpp"
#include "trisweep/device/gpu_vectors.hpp"
#include "trisweep/sptrsv/gpu_rows.hpp"

namespace trisweep::sptrsv {
namespace {

using device::DeviceArray;
using device::NumberOf;
using device::Stream;

template <class T>
__global__ void __launch_bounds__(device::threads_of_block) run_rows(RowsView<T> rows, RowTask<T> task) {
  const device::GpuWarp warp;
  RowWarp<T, device::GpuWarp>(rows, task, warp).run();
}

// Returns how many warps run it.
template <class T>
Count launch(const RowsView<T>& rows, const RowTask<T>& task, Stream stream) {
  constexpr Count warps_of_block = device::threads_of_block / device::GpuWarp::lanes;
  const Count needed = (task.tickets() + warps_of_block - 1) / warps_of_block;
  const auto resident = device::resident_blocks(reinterpret_cast<const void*>(&run_rows<T>));
  const auto blocks = static_cast<unsigned>(std::min(needed, usize(resident)));
  if (blocks == 0) return 0;
  run_rows<T><<<blocks, device::threads_of_block, 0, stream>>>(rows, task);
  device::check(TRISWEEP_GPU(GetLastError)(), "launching the kernel");
  return blocks * warps_of_block;
}

}  // namespace

template <Scalar T>
class GpuRows<T>::Memory {
 public:
  explicit Memory(const OrderedRows<T>& rows)
      : rows_(rows.rows()),
        launch_(rows.launch),
        lanes_(rows.lanes),
        number_(rows.number),
        begin_(rows.begin),
        column_(rows.column),
        value_(rows.value),
        diagonal_(rows.diagonal),
        x_(usize(rows_) * usize(most_columns)),
        solved_(usize(rows_)),
        ticket_(1),
        copies_(rows_, most_columns) {}

  void solve(Vectors<const T> b, Vectors<T> x, Stream stream) {
    const auto [from, to] = copies_.bring_in(b, x, stream);
    const RowTask<NumberOf<T>> task{.nrhs = b.cols,
                                    .caller = device::callers_rows<T>(from, nullptr, to, nullptr)};
    tasks_.solve(launch_, lanes_, task,
                 [&](const RowTask<NumberOf<T>>& one) { return launch(view(), one, stream); });
    copies_.bring_out(x, stream);
  }

 private:
  RowsView<NumberOf<T>> view() const {
    const auto numbers = [](const DeviceArray<T>& a) { return reinterpret_cast<NumberOf<T>*>(a.data()); };
    return {.number = number_.data(),
            .begin = begin_.data(),
            .column = column_.data(),
            .value = numbers(value_),
            .diagonal = numbers(diagonal_),
            .x = numbers(x_),
            .solved = solved_.data(),
            .ticket = ticket_.data()};
  }

  Index rows_;
  std::vector<RowLaunch> launch_;
  int lanes_;
  DeviceArray<Index> number_;
  DeviceArray<Offset> begin_;
  DeviceArray<Index> column_;
  DeviceArray<T> value_, diagonal_, x_;
  DeviceArray<Count> solved_, ticket_;
  device::VectorCopies<T> copies_;
  RowTasks<NumberOf<T>> tasks_;
};

template <Scalar T>
GpuRows<T>::GpuRows(const OrderedRows<T>& rows) : memory_(std::make_unique<Memory>(rows)) {}
template <Scalar T>
GpuRows<T>::~GpuRows() = default;

template <Scalar T>
void GpuRows<T>::solve(Vectors<const T> b, Vectors<T> x, void* stream) {
  memory_->solve(b, x, static_cast<Stream>(stream));
}

template <Scalar T>
void GpuRows<T>::wait(void* stream) const {
  device::check(TRISWEEP_GPU(StreamSynchronize)(static_cast<Stream>(stream)), "the kernel");
}

#define INSTANTIATE(T) template class GpuRows<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::sptrsv
