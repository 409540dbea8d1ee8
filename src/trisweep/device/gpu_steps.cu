// The kernels of vector_step.hpp, by nvcc or hipcc.

#include <array>

#include "trisweep/device/gpu_kernel.hpp"
#include "trisweep/device/step_runner.hpp"

namespace trisweep::device {
namespace {

constexpr int warps_of_block = 4;

template <class N>
__global__ void run_row_blocks(VectorStep<N> step, Summed<N>* by_row_block) {
  const Index row_block = static_cast<Index>(blockIdx.x * warps_of_block + threadIdx.x / slab_rows);
  if (row_block < row_blocks_of(step.rows)) run_row_block(step, row_block, by_row_block, GpuWarp());
}
// By one block, with a warp for each inner product.
template <class N>
__global__ void sum_row_blocks(VectorStep<N> step, const Summed<N>* by_row_block, Summed<N>* sums) {
  const auto product = static_cast<Index>(threadIdx.x / slab_rows);
  const Summed<N> sum = sum_of_row_blocks(step, product, by_row_block, GpuWarp());
  if (threadIdx.x % slab_rows == 0) sums[product] = sum;
}

template <Scalar T>
class GpuSteps final : public StepRunner<T> {
 public:
  MemorySpace space() const override { return MemorySpace::device; }
  std::shared_ptr<T> allocate(std::size_t numbers) override {
    auto memory = std::make_shared<DeviceArray<T>>(numbers);
    T* const begin = memory->data();
    return {std::move(memory), begin};
  }

 private:
  using typename StepRunner<T>::Step;
  using typename StepRunner<T>::Sum;
  using Number = NumberOf<T>;

  void copy_numbers(const T* from, T* to, std::size_t count) override {
    device::copy(to, from, count, stream_.get());
  }

  std::span<const Sum> run_all(std::span<const Step> steps, const std::function<void()>& poll) override {
    std::size_t products = 0;
    for (const Step& step : steps) products += usize(step.products);
    if (sums_.size() < products) sums_ = DeviceArray<Sum>(products);
    sums_on_host_.resize(products);
    std::size_t sums = 0;
    for (const Step& step : steps) {
      launch(step, sums_.data() + sums);
      sums += usize(step.products);
    }
    do poll();
    while (!is_idle(stream_.get()));
    device::copy(sums_on_host_.data(), sums_.data(), products, stream_.get());
    return sums_on_host_;
  }

  void launch(Step step, Sum* sums) {
    const auto row_blocks = static_cast<unsigned>(row_blocks_of(step.rows));
    const std::size_t by_row_block = row_blocks * usize(step.products);
    if (by_row_block_.size() < by_row_block) by_row_block_ = DeviceArray<Sum>(by_row_block);
    Sum* partial = by_row_block_.data();
    if (row_blocks > 0) {
      std::array<void*, 2> arguments{&step, &partial};
      start(reinterpret_cast<const void*>(&run_row_blocks<Number>),
            (row_blocks + warps_of_block - 1) / warps_of_block, warps_of_block, arguments.data());
    }
    if (step.products > 0) {
      std::array<void*, 3> arguments{&step, &partial, &sums};
      start(reinterpret_cast<const void*>(&sum_row_blocks<Number>), 1, static_cast<unsigned>(step.products),
            arguments.data());
    }
  }
  void start(const void* kernel, unsigned blocks, unsigned warps, void** arguments) {
    check(TRISWEEP_GPU(LaunchKernel)(kernel, dim3(blocks), dim3(warps * slab_rows), arguments, 0,
                                     stream_.get()),
          "launching a step");
  }

  GpuStream stream_;
  DeviceArray<Sum> by_row_block_, sums_;
  std::vector<Sum> sums_on_host_;
};

}  // namespace

template <Scalar T>
std::unique_ptr<StepRunner<T>> run_steps_on_gpu() {
  return std::make_unique<GpuSteps<T>>();
}

#define INSTANTIATE(T) template std::unique_ptr<StepRunner<T>> run_steps_on_gpu();
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::device
