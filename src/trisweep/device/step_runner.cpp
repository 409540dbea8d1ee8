#include "trisweep/device/step_runner.hpp"

#include <algorithm>

namespace trisweep::device {

template <Scalar T>
StepRunner<T>::StepRunner(Device device, ThreadPool& pool)
    : stream_(device), queue_{device, &pool, stream_.get()} {}

template <Scalar T>
void StepRunner<T>::copy(Vectors<const T> from, Vectors<T> to) {
  copy_columns(queue_.device, to, from, queue_.stream);
  backend::runtime(queue_.device).wait(queue_.stream);
  counts_.copied_bytes += Offset{from.rows} * from.cols * static_cast<Offset>(sizeof(T));
}

template <Scalar T>
auto StepRunner<T>::run(std::span<const Step> steps, const Poll& poll) -> std::span<const Sum> {
  constexpr auto most = usize(StepBatch<NumberOf<T>>::most);
  std::size_t products = 0;
  for (const Step& step : steps) products += usize(step.products);
  if (sums_.size() < products) sums_ = {queue_.device, products};
  if (sums_on_host_.size() < products) sums_on_host_ = {queue_.device, products, MemoryUse::pinned};
  Sum* sums = sums_.data();
  for (std::size_t s = 0; s < steps.size(); s += most)
    sums += launch(steps.subspan(s, std::min(most, steps.size() - s)), sums, poll);
  const std::size_t bytes = products * sizeof(Sum);
  if (bytes > 0)
    backend::runtime(queue_.device)
        .copy(sums_on_host_.data(), bytes, sums_.data(), bytes, bytes, 1, queue_.stream);
  backend::wait(queue_, poll);
  return {sums_on_host_.data(), products};
}

template <Scalar T>
Index StepRunner<T>::launch(std::span<const Step> steps, Sum* sums, const Poll& poll) {
  using Number = NumberOf<T>;
  StepBatch<Number> batch{.steps = static_cast<Index>(steps.size())};
  std::ranges::copy(steps, batch.step);
  Index products = 0;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    batch.products[s] = products;
    products += steps[s].products;
    counts_.updates += steps[s].updates;
  }
  counts_.steps += batch.steps;
  counts_.products += products;
  const Index row_blocks = batch.row_blocks();
  const std::size_t by_row_block = usize(row_blocks) * usize(products);
  if (by_row_block_.size() < by_row_block) by_row_block_ = {queue_.device, by_row_block};
  batch.by_row_block = by_row_block_.data();
  batch.sums = sums;
  const int warps = backend::warps_of_block<RunRowBlocks<Number>>(queue_.device);
  backend::launch(queue_, RunRowBlocks<Number>{batch}, (row_blocks + warps - 1) / warps, poll);
  if (products > 0) backend::launch(queue_, SumRowBlocks<Number>{batch}, batch.steps);
  return products;
}

#define INSTANTIATE(T) template class StepRunner<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::device
