// The one file with NVSHMEM's headers, which take a minute to compile.

#include <nvshmem.h>
#include <nvshmemx.h>

#include <cstring>

#include "trisweep/device/gpu_kernel.hpp"
#include "trisweep/device/gpu_memory.hpp"
#include "trisweep/device/nvshmem_pe.hpp"

namespace trisweep::device {
namespace {

// The memory of all PEs as it lies in the symmetric heap: an address of this PE's, and whose is meant.
template <class T>
struct NvshmemPeers {
  const PeMemory<T>* pe;
  Index count;
  Index me;

  TRISWEEP_DEVICE const PeMemory<T>& mine() const { return pe[me]; }

#if defined(__CUDACC__)
  template <class Block>
  __device__ void put(const Block& /*block*/, Index to, std::size_t at, const T* value,
                      std::size_t size) const {
    nvshmemx_putmem_block(pe[to].row + at, value, size * sizeof(T), to);
  }
  // A fence keeps what the block has put to a PE before the signal.
  __device__ void signal(Index to, Index number, Count value) const {
    nvshmem_fence();
    nvshmemx_signal_op(pe[to].signal + number, value, NVSHMEM_SIGNAL_SET, to);
  }
  __device__ bool has_come(Index number, Count value) const {
    return nvshmem_uint64_test(mine().signal + number, NVSHMEM_CMP_GE, value) != 0;
  }
  __device__ bool failed() const {
    return load_acquire<Scope::system>(&mine().control->failed) != 0;
  }
  __device__ void fail() const {
    for (Index p = 0; p < count; ++p) nvshmemx_signal_op(&pe[p].control->failed, 1, NVSHMEM_SIGNAL_SET, p);
  }
#endif
};

nvshmemx_uniqueid_t id_of(const NvshmemId& bytes) {
  static_assert(sizeof(nvshmemx_uniqueid_t) <= sizeof(NvshmemId));
  nvshmemx_uniqueid_t id = NVSHMEMX_UNIQUEID_INITIALIZER;
  std::memcpy(&id, bytes.data(), sizeof id);
  return id;
}

void check_nvshmem(int status, const char* call) {
  if (status != 0)
    throw Error(ErrorKind::environment, std::string(call) + ": NVSHMEM error " + std::to_string(status));
}

}  // namespace

NvshmemId make_nvshmem_id() {
  nvshmemx_uniqueid_t id = NVSHMEMX_UNIQUEID_INITIALIZER;
  check_nvshmem(nvshmemx_get_uniqueid(&id), "nvshmemx_get_uniqueid");
  NvshmemId bytes{};
  std::memcpy(bytes.data(), &id, sizeof id);
  return bytes;
}

Nvshmem::Nvshmem(const NvshmemId& id, Index rank, Index ranks) {
  if (gpu_count() == 0)  // NVSHMEM would end the process
    throw Error(ErrorKind::environment, "there is no GPU");
  const nvshmemx_uniqueid_t unique = id_of(id);
  nvshmemx_init_attr_t attributes = NVSHMEMX_INIT_ATTR_INITIALIZER;
  check_nvshmem(nvshmemx_set_attr_uniqueid_args(rank, ranks, &unique, &attributes),
                "nvshmemx_set_attr_uniqueid_args");
  check_nvshmem(nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attributes), "nvshmemx_init_attr");
}
Nvshmem::~Nvshmem() {
  nvshmem_finalize();
}

template <Scalar T>
class NvshmemPe<T>::Memory {
 public:
  template <class Side>
  Memory(const Program& program, std::span<const SharedLayout> layouts, const PanelsBySide<Side>& panels,
         Index nrhs, const PeData<T>& data)
      : program_(program),
        kernel_(worker_kernel<InKernels<Side>, NumberOf<T>, NvshmemPeers>(Scheduling::tickets)),
        heap_(allocate(layouts, nrhs)),
        pe_(program, static_cast<Index>(layouts.size()), nrhs, data, heap_.get()),
        workers_(resident_blocks(kernel_)) {
    std::vector<PeMemory<NumberOf<T>>> of_all;
    for (const SharedLayout& layout : layouts) of_all.push_back(layout.template at<T>(heap_.get()));
    peers_ = DeviceArray<PeMemory<NumberOf<T>>>(std::span(std::as_const(of_all)));
    const NvshmemPeers<NumberOf<T>> peers{peers_.data(), static_cast<Index>(layouts.size()), program.pe};
    const auto view = pe_.view(panels, peers, workers_);
    view_ = DeviceArray<std::byte>(std::as_bytes(std::span(&view, 1)));
    nvshmem_barrier_all();  // nobody puts anything where zeros are yet to come
  }

  GpuPeMemory<T>& pe() { return pe_; }
  const Program& program() const { return program_; }

  void solve(Index nrhs, const PeVectors<T>& vectors, double watchdog, Stream stream,
             const ExchangeMessages& carry) {
    AllCallers<NumberOf<T>> callers{};
    callers.of[0] = pe_.bring_in(vectors, stream);
    const Solve<NumberOf<T>> solve{.nrhs = nrhs,
                                   .number = ++solves_,
                                   .end = all_items,
                                   .launches = launches_,
                                   .watchdog = static_cast<Count>(watchdog * 1e9)};
    launches_ += program_.boundary.size() + 1;
    // PEs stop at places of their own: a launch is not all PEs' then, and blocks are resident all the same.
    const bool is_collective = program_.boundary.empty();
    const auto launch_one = [&](Solve<NumberOf<T>> now) {
      const Blocks blocks{1, workers_, Scheduling::tickets};
      if (!is_collective) return launch(kernel_, view_.data(), blocks, now, callers, stream);
      const void* view = view_.data();
      int count = 1;
      std::array<void*, 4> arguments{&view, &count, &now, &callers};
      check_nvshmem(nvshmemx_collective_launch(kernel_, dim3(static_cast<unsigned>(workers_)),
                                               dim3(threads_of_block), arguments.data(), 0, stream),
                    "launching the kernel");
    };
    launch_all(program_, solve, launch_one, carry);
    pe_.bring_out(vectors, stream);
  }

 private:
  struct Free {
    void operator()(std::byte* memory) const { nvshmem_free(memory); }
  };
  static std::byte* allocate(std::span<const SharedLayout> layouts, Index nrhs) {
    std::size_t bytes = 0;
    for (const SharedLayout& layout : layouts) bytes = std::max(bytes, layout.template bytes<T>(nrhs));
    void* const memory = nvshmem_calloc(1, bytes);
    if (memory == nullptr)
      throw Error(ErrorKind::environment, "the symmetric heap has no room for the right-hand sides",
                  "set NVSHMEM_SYMMETRIC_SIZE to more bytes, or solve for fewer at a time");
    return static_cast<std::byte*>(memory);
  }

  const Program& program_;
  const void* kernel_;
  std::unique_ptr<std::byte, Free> heap_;
  GpuPeMemory<T> pe_;
  int workers_;
  DeviceArray<PeMemory<NumberOf<T>>> peers_;
  DeviceArray<std::byte> view_;
  Count solves_ = 0;
  Count launches_ = 0;
};

template <Scalar T>
template <class Side>
NvshmemPe<T>::NvshmemPe(const Program& program, std::span<const SharedLayout> layouts,
                        const PanelsBySide<Side>& panels, Index nrhs, const PeData<T>& data)
    : memory_(std::make_unique<Memory>(program, layouts, panels, nrhs, data)) {}
template <Scalar T>
NvshmemPe<T>::~NvshmemPe() = default;

template <Scalar T>
void NvshmemPe<T>::solve(Index nrhs, std::span<const PeVectors<T>> vectors, double watchdog, void* stream,
                         const ExchangeMessages& carry) {
  memory_->solve(nrhs, vectors.front(), watchdog, static_cast<Stream>(stream), carry);
}
template <Scalar T>
T* NvshmemPe<T>::rows() const {
  return reinterpret_cast<T*>(memory_->pe().shared().row);
}
template <Scalar T>
bool NvshmemPe<T>::ended(void* stream) const {
  return is_idle(static_cast<Stream>(stream));
}
template <Scalar T>
void NvshmemPe<T>::stop() const {
  const GpuStream beside;
  for (int p = 0; p < nvshmem_n_pes(); ++p)
    nvshmemx_signal_op_on_stream(&memory_->pe().shared().control->failed, 1, NVSHMEM_SIGNAL_SET, p,
                                 beside.get());
  check(cudaStreamSynchronize(beside.get()), "telling the other devices");
}
template <Scalar T>
void NvshmemPe<T>::wait(void* stream) const {
  check(cudaStreamSynchronize(static_cast<Stream>(stream)), "the kernel");
  check_ended(memory_->program(), memory_->pe(), static_cast<Stream>(stream));
}
template <Scalar T>
void NvshmemPe<T>::copy_times(std::span<Count> times, Index /*pe*/, void* stream) const {
  copy(times.data(), memory_->pe().times(), times.size(), static_cast<Stream>(stream));
}

template <Scalar T>
void NvshmemPe<T>::read_rows(std::span<T> values, std::size_t first, Index /*pe*/, void* stream) const {
  copy(values.data(), reinterpret_cast<const T*>(memory_->pe().shared().row) + first, values.size(),
       static_cast<Stream>(stream));
}

#define INSTANTIATE(T) template class NvshmemPe<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

#define INSTANTIATE_STORAGE(S, T)                                                                       \
  template NvshmemPe<T>::NvshmemPe(const Program&, std::span<const SharedLayout>, const PanelSpans<S>&, \
                                   Index, const PeData<T>&);                                            \
  template NvshmemPe<T>::NvshmemPe(const Program&, std::span<const SharedLayout>,                       \
                                   const PanelsBySide<PieceSpan<S>>&, Index, const PeData<T>&);
TRISWEEP_FOR_EACH_STORAGE(INSTANTIATE_STORAGE)

}  // namespace trisweep::device
