#include "trisweep/core/thread_pool.hpp"
#include "trisweep/sptrsv/row_runner.hpp"

namespace trisweep::sptrsv {
namespace {

template <Scalar T>
class HostRowRunner final : public RowRunner<T> {
 public:
  using Number = device::NumberOf<T>;

  HostRowRunner(OrderedRows<T> rows, int threads)
      : rows_(std::move(rows)),
        pool_(threads),
        x_(usize(rows_.rows()) * usize(most_columns)),
        solved_(usize(rows_.rows())) {}

  void solve(Vectors<const T> b, Vectors<T> x) override {
    const auto numbers = [](const std::vector<T>& v) { return reinterpret_cast<const Number*>(v.data()); };
    const RowsView<Number> view{.number = rows_.number.data(),
                                .begin = rows_.begin.data(),
                                .column = rows_.column.data(),
                                .value = numbers(rows_.value),
                                .diagonal = rows_.diagonal.empty() ? nullptr : numbers(rows_.diagonal),
                                .x = reinterpret_cast<Number*>(x_.data()),
                                .solved = solved_.data(),
                                .ticket = &ticket_};
    const RowTask<Number> task{.nrhs = b.cols, .caller = device::callers_rows<T>(b, nullptr, x, nullptr)};
    tasks_.solve(rows_.launch, rows_.lanes, task, [&](const RowTask<Number>& one) {
      pool_.run([&](int) { RowWarp(view, one, device::HostWarp{}).run(); });
      return usize(pool_.size());
    });
  }

 private:
  OrderedRows<T> rows_;
  ThreadPool pool_;
  std::vector<T> x_;
  std::vector<device::Count> solved_;
  device::Count ticket_ = 0;
  RowTasks<Number> tasks_;
};

}  // namespace

template <Scalar T>
std::unique_ptr<RowRunner<T>> run_rows_on_host(OrderedRows<T> rows, int threads) {
  return std::make_unique<HostRowRunner<T>>(std::move(rows), threads);
}

#define INSTANTIATE(T) template std::unique_ptr<RowRunner<T>> run_rows_on_host(OrderedRows<T>, int);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::sptrsv
