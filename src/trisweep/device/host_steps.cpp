#include <algorithm>

#include "trisweep/device/step_runner.hpp"

namespace trisweep::device {
namespace {

template <Scalar T>
class HostSteps final : public StepRunner<T> {
 public:
  HostSteps(ThreadPool& pool, MemorySpace space) : pool_(pool), space_(space) {}

  MemorySpace space() const override { return space_; }
  std::shared_ptr<T> allocate(std::size_t numbers) override {
    auto memory = std::make_shared<std::vector<T>>(numbers);
    T* const begin = memory->data();
    return {std::move(memory), begin};
  }

 private:
  using typename StepRunner<T>::Step;
  using typename StepRunner<T>::Sum;

  void copy_numbers(const T* from, T* to, std::size_t count) override { std::copy_n(from, count, to); }

  std::span<const Sum> run_all(std::span<const Step> steps, const std::function<void()>& poll) override {
    constexpr std::size_t row_blocks_between_polls = 4;
    by_row_block_.resize(steps.size());
    for (std::size_t s = 0; s < steps.size(); ++s)
      by_row_block_[s].resize(usize(row_blocks_of(steps[s].rows)) * usize(steps[s].products));
    const std::size_t row_blocks = steps.empty() ? 0 : usize(row_blocks_of(steps.front().rows));
    pool_.run([&](int thread) {
      const ThreadPool::Part mine = pool_.part(thread, row_blocks, 1);
      for (std::size_t row_block = mine.begin; row_block < mine.end; ++row_block) {
        for (std::size_t s = 0; s < steps.size(); ++s)
          run_row_block(steps[s], static_cast<Index>(row_block), by_row_block_[s].data(), HostWarp{});
        if (thread == 0 && row_block % row_blocks_between_polls == 0) poll();
      }
    });
    poll();
    sums_.clear();
    for (std::size_t s = 0; s < steps.size(); ++s) {
      for (Index p = 0; p < steps[s].products; ++p)
        sums_.push_back(sum_of_row_blocks(steps[s], p, by_row_block_[s].data(), HostWarp{}));
    }
    return sums_;
  }

  ThreadPool& pool_;
  MemorySpace space_;
  std::vector<std::vector<Sum>> by_row_block_;
  std::vector<Sum> sums_;
};

}  // namespace

template <Scalar T>
std::unique_ptr<StepRunner<T>> run_steps_on_host(ThreadPool& pool, MemorySpace space) {
  return std::make_unique<HostSteps<T>>(pool, space);
}

#define INSTANTIATE(T) template std::unique_ptr<StepRunner<T>> run_steps_on_host(ThreadPool&, MemorySpace);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::device
