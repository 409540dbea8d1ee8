#include "trisweep/sptrsv/device_solver.hpp"

#include <algorithm>
#include <bit>

#include "trisweep/core/error.hpp"
#include "trisweep/core/watchdog.hpp"

namespace trisweep::sptrsv {
namespace {

// Maximum number of right-hand sides solved together; more are solved in groups.
constexpr Index most_columns = slab_rows;

}  // namespace

template <Scalar T>
DeviceSolver<T>::Memory::Memory(OrderedRows<T> ordered, backend::Device device)
    : rows(std::move(ordered)),
      number(device, rows.number),
      begin(device, rows.begin),
      column(device, rows.column),
      value(device, rows.value),
      diagonal(device, rows.diagonal),
      x(device, usize(rows.rows()) * usize(most_columns)),
      solved(device, usize(rows.rows())),
      control(device, 1) {}

template <Scalar T>
auto DeviceSolver<T>::Memory::view() const -> RowsView<Number> {
  const auto numbers = [](const T* data) { return reinterpret_cast<const Number*>(data); };
  return {.number = number.data(),
          .begin = begin.data(),
          .column = column.data(),
          .value = numbers(value.data()),
          .diagonal = diagonal.size() == 0 ? nullptr : numbers(diagonal.data()),
          .x = reinterpret_cast<Number*>(x.data()),
          .solved = solved.data(),
          .control = control.data()};
}

template <Scalar T>
DeviceSolver<T>::DeviceSolver(const matrix::Csr<T>& a, Form form, Op op, const DeviceSolverOptions& options)
    : device_(options.device), watchdog_(options.watchdog), stall_(options.device) {
  if (device_ == backend::Device::native || options.threads < 1)
    throw Error(ErrorKind::usage, "a solve on a device needs a device, and a thread",
                "use emulated, cuda or hip");
  require_watchdog(watchdog_);
  backend::require_device(device_);
  matrix::require_consistent(a);
  const LowerSystem<T> system = lower_system(a, form, op);
  choice_ = choose_for_device(system.below, options.algorithm);
  if (!is_gpu(device_)) pool_ = std::make_unique<ThreadPool>(options.threads);
  memory_.emplace(ordered_rows(system, choice_.plan), device_);
  copies_.emplace(device_, memory_->rows.rows(), most_columns);
  resident_ = backend::resident_blocks<SolveRows<Number>>({device_, pool_.get()});
}

template <Scalar T>
void DeviceSolver<T>::solve(Vectors<const T> b, Vectors<T> x) {
  require_fit<T>(b, x, memory_->rows.rows(), is_gpu(device_));
  for (Index c = 0; c < b.cols; c += most_columns) {
    const Index count = std::min(most_columns, b.cols - c);
    solve_columns(b.columns(c, count), x.columns(c, count));
  }
}

// Counts continue from solve to solve, so that nothing is cleared.
template <Scalar T>
void DeviceSolver<T>::solve_columns(Vectors<const T> b, Vectors<T> x) {
  const auto [from, to] = copies_->bring_in(b, x, nullptr);
  RowTask<Number> task{.columns = static_cast<int>(std::bit_ceil(static_cast<unsigned>(b.cols))),
                       .nrhs = b.cols,
                       .solve = ++solves_,
                       .watchdog = backend::nanoseconds(watchdog_),
                       .caller = device::callers_rows<T>(from, nullptr, to, nullptr)};
  task.lanes = std::min(memory_->rows.lanes, static_cast<int>(slab_rows) / task.columns);
  for (const RowLaunch& rows : memory_->rows.launch) {
    task.rows = rows;
    task.first_ticket = tickets_;
    tickets_ += task.tickets() + launch(task);
  }
  stall_.record(&memory_->view().control->stalled, nullptr);
  copies_->bring_out(x, nullptr);
  backend::runtime(device_).wait(nullptr);
  stall_.require_none("row");
  copies_->hand_out(x);
}

template <Scalar T>
Count DeviceSolver<T>::launch(const RowTask<Number>& task) const {
  const SolveRows<Number> body{memory_->view(), task};
  const auto warps = static_cast<Count>(backend::warps_of_block<SolveRows<Number>>(device_));
  const Count blocks = std::min((task.tickets() + warps - 1) / warps, usize(resident_));
  backend::launch({device_, pool_.get()}, body, static_cast<Offset>(blocks));
  return blocks * warps;
}

#define INSTANTIATE(T) template class DeviceSolver<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::sptrsv
