// The program of a rank on a GPU, where the build has kernels for one.

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "trisweep/engine/program_runner.hpp"
#include "trisweep/mpi/watchdog.hpp"
#if defined(TRISWEEP_CUDA) || defined(TRISWEEP_HIP)
#include "trisweep/device/gpu_pes.hpp"
#endif
#if defined(TRISWEEP_NVSHMEM)
#include "trisweep/device/nvshmem_pe.hpp"
#endif

namespace trisweep::engine {

namespace {

#if defined(TRISWEEP_CUDA)
constexpr Device built_for = Device::cuda;
#elif defined(TRISWEEP_HIP)
constexpr Device built_for = Device::hip;
#else
constexpr Device built_for = Device::emulated;
#endif

}  // namespace

void require_gpu(Device device) {
  const std::string_view name = device == Device::cuda ? "cuda" : "hip";
  if (device != built_for)
    throw Error(ErrorKind::environment, fmt::format("this build has no kernels for --device {}", name),
                fmt::format("build with scripts/build --{}, or use --device native", name));
#if defined(TRISWEEP_CUDA) || defined(TRISWEEP_HIP)
  if (device::gpu_count() == 0)
    throw Error(ErrorKind::environment, fmt::format("there is no GPU for --device {}", name),
                "use --device native, or emulated for the same kernel on the CPU");
#endif
}

bool gpus_put() {
#if defined(TRISWEEP_NVSHMEM)
  return true;
#else
  return false;
#endif
}

#if defined(TRISWEEP_CUDA) || defined(TRISWEEP_HIP)

namespace {

// `Pes`: device::GpuPes with one PE, or device::NvshmemPe, which emplace(pes, of, panels, data) makes.
template <Scalar T, class Pes, class Emplace>
class GpuRunner final : public ProgramRunner<T> {
 public:
  GpuRunner(const RankProgram<T>& of, const Emplace& emplace)
      : of_(of), emplace_(emplace), time_(of.program.part.size() + 1) {
    make();
  }

  void start(const CallersVectors<T>& v, void* stream) override {
    const bool scaled = v.b_scale == of_.scales.b_scale && v.x_scale == of_.scales.x_scale;
    const device::PeVectors<T> vectors{v.b, v.x, scaled, v.base};
    const device::ExchangeMessages carry = [&](const device::LaunchBoundary& boundary) {
      await(stream);
      of_.host_exchange->exchange(boundary, {pes_->rows(), v.b.cols, stream});
    };
    pes_->solve(v.b.cols, {&vectors, 1}, std::isfinite(of_.watchdog) ? of_.watchdog : 0, stream, carry);
    if (of_.host_exchange != nullptr) of_.host_exchange->close();
  }
  void wait(void* stream) override {
    await(stream);
    pes_->copy_times(time_, 0, stream);
  }
  std::span<const device::Count> times() const override { return time_; }
  void read_rows(std::size_t first, std::span<T> values, void* stream) const override {
    pes_->read_rows(values, first, 0, stream);
  }
  // Other numbers, tiles of other sizes, or another storage.
  void panels_changed() override { make(); }

 private:
  void make() {
    const auto rows = usize(of_.system.partition.count(comm().rank()));
    const auto scale = [&](const RealOf<T>* s) { return std::span(s, s == nullptr ? 0 : rows); };
    device::PeData<T> data{scale(of_.scales.b_scale), scale(of_.scales.x_scale)};
    if (of_.measuring != nullptr) {
      data.measuring = *of_.measuring;
      emplace_(pes_, of_, device::PanelSpans<T>{}, data);
    } else {
      of_.system.panels.visit([&](const auto& panels) { emplace_(pes_, of_, panels, data); });
    }
  }

  // Until all in the stream has ended.
  void await(void* stream) {
    mpi::Watchdog watchdog(std::numeric_limits<double>::infinity(), &comm());
    try {
      while (!pes_->ended(stream)) watchdog.backoff([] { return std::string(); });
    } catch (...) {
      pes_->stop();  // it waits for a rank that has failed
      throw;
    }
    pes_->wait(stream);
  }

  const mpi::Communicator& comm() const { return of_.system.comm; }

  RankProgram<T> of_;
  Emplace emplace_;
  std::optional<Pes> pes_;
  std::vector<device::Count> time_;
};

template <class Pes, Scalar T, class Emplace>
std::unique_ptr<ProgramRunner<T>> make_runner(const RankProgram<T>& of, const Emplace& emplace) {
  return std::make_unique<GpuRunner<T, Pes, Emplace>>(of, emplace);
}

}  // namespace

void deal_out_gpus(const mpi::Communicator& comm) {
  if (comm.size() == 1) return;
  const Index place = comm.of_node().rank();
  mpi::agree_on_error(comm, [&] { device::take_gpu(place % std::max(device::gpu_count(), 1)); });
}

std::shared_ptr<void> join_gpus([[maybe_unused]] const mpi::Communicator& comm) {
#if defined(TRISWEEP_NVSHMEM)
  device::NvshmemId id{};
  mpi::agree_on_error(comm, [&] {
    if (comm.rank() == 0) id = device::make_nvshmem_id();
  });
  comm.broadcast(id);
  return mpi::agree_on_error(comm,
                             [&] { return std::make_shared<device::Nvshmem>(id, comm.rank(), comm.size()); });
#else
  return nullptr;
#endif
}

template <Scalar T>
std::unique_ptr<ProgramRunner<T>> run_on_gpu(const RankProgram<T>& of) {
#if defined(TRISWEEP_NVSHMEM)
  if (of.layouts.size() > 1)
    return make_runner<device::NvshmemPe<T>>(
        of, [](auto& pes, const RankProgram<T>& rank, const auto& panels, const auto& data) {
          pes.emplace(rank.program, rank.layouts, panels, rank.nrhs, data);
        });
#endif
  return make_runner<device::GpuPes<T>>(
      of, [](auto& pes, const RankProgram<T>& rank, const auto& panels, const auto& data) {
        pes.emplace(std::span(&rank.program, 1), std::span(&panels, 1), rank.nrhs,
                    device::GpuOptions<T>{.data = {&data, 1}, .devices = {device::current_gpu()}});
      });
}

int current_gpu() {
  return device::current_gpu();
}
std::shared_ptr<std::byte> gpu_memory(std::size_t bytes) {
  const auto buffer = std::make_shared<device::GpuBuffer>(bytes);
  return {buffer, buffer->template as<std::byte>()};
}
void copy_on_gpu(void* to, const void* from, std::size_t bytes, void* stream) {
  device::gpu_copy(to, from, bytes, stream);
}

#else

int current_gpu() {
  return 0;
}
std::shared_ptr<std::byte> gpu_memory(std::size_t /*bytes*/) {
  return nullptr;
}
void copy_on_gpu(void* /*to*/, const void* /*from*/, std::size_t /*bytes*/, void* /*stream*/) {}

void deal_out_gpus(const mpi::Communicator& /*comm*/) {}
std::shared_ptr<void> join_gpus(const mpi::Communicator& /*comm*/) {
  return nullptr;
}

template <Scalar T>
std::unique_ptr<ProgramRunner<T>> run_on_gpu(const RankProgram<T>& /*of*/) {
  return nullptr;
}

#endif

#define INSTANTIATE(T) template std::unique_ptr<ProgramRunner<T>> run_on_gpu(const RankProgram<T>&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::engine
