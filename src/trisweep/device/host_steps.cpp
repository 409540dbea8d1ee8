#include <algorithm>

#include "trisweep/device/step_runner.hpp"

namespace trisweep::device {
namespace {

template <Scalar T>
class HostSteps final : public StepRunner<T> {
 public:
  HostSteps(Crew& crew, MemorySpace space) : crew_(crew), space_(space) {}

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
    constexpr std::size_t strips_between_polls = 4;
    by_strip_.resize(steps.size());
    for (std::size_t s = 0; s < steps.size(); ++s)
      by_strip_[s].resize(usize(strips_of(steps[s].rows)) * usize(steps[s].products));
    const std::size_t strips = steps.empty() ? 0 : usize(strips_of(steps.front().rows));
    crew_.run([&](int thread) {
      const Crew::Part mine = crew_.part(thread, strips, 1);
      for (std::size_t strip = mine.begin; strip < mine.end; ++strip) {
        for (std::size_t s = 0; s < steps.size(); ++s)
          run_strip(steps[s], static_cast<Index>(strip), by_strip_[s].data(), HostWarp{});
        if (thread == 0 && strip % strips_between_polls == 0) poll();
      }
    });
    poll();
    sums_.clear();
    for (std::size_t s = 0; s < steps.size(); ++s) {
      for (Index p = 0; p < steps[s].products; ++p)
        sums_.push_back(sum_of_strips(steps[s], p, by_strip_[s].data(), HostWarp{}));
    }
    return sums_;
  }

  Crew& crew_;
  MemorySpace space_;
  std::vector<std::vector<Sum>> by_strip_;
  std::vector<Sum> sums_;
};

}  // namespace

template <Scalar T>
std::unique_ptr<StepRunner<T>> run_steps_on_host(Crew& crew, MemorySpace space) {
  return std::make_unique<HostSteps<T>>(crew, space);
}

#define INSTANTIATE(T) template std::unique_ptr<StepRunner<T>> run_steps_on_host(Crew&, MemorySpace);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::device
