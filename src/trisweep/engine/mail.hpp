#pragma once
// The messages that the host carries for a device, between the launches of a program: what layers share,
// vectors, and what ranks find of answers, by MPI. They go from and to the device's memory itself where MPI
// takes that, else by way of the host's. Two-sided, since a transport past MPI could not read it; numbered as
// in the program's phases, all of which it opens in their order.

#include "trisweep/core/buffer.hpp"
#include "trisweep/device/make_program.hpp"
#include "trisweep/engine/engine.hpp"

namespace trisweep::engine {

// Copies between the memory of the GPU of this process and the host's, in a stream (null: its usual one),
// which is waited for.
void copy_on_gpu(void* to, const void* from, std::size_t bytes, void* stream);

template <Scalar T>
class Mail {
 public:
  // With at most `nrhs` right-hand sides. Collective; `comm` and `program` outlive it.
  Mail(const transport::Communicator& comm, const device::Program& program, Index nrhs,
       const EngineOptions& options);

  // Where the work rows of the device are, of a solve with so many right-hand sides.
  struct At {
    T* rows;
    Index nrhs;
    void* stream;
  };
  // Sends and receives what belongs to a stop; nothing runs on the device meanwhile. Throws as Patience does.
  void carry(const device::Stop& stop, const At& at);
  // The solve has no more stops. All that was sent has left when it returns.
  void close();

 private:
  void open(Index phase);
  void receive(const device::Letter& letter, std::span<T> packed);

  const device::Program& program_;
  Index me_;
  Index phases_;
  bool is_direct_;
  Buffer<T> packed_;            // in the host's memory, unless is_direct_
  std::vector<Offset> row_of_;  // by letter: its first there
  transport::Patience patience_;
  std::unique_ptr<transport::Transport> transport_;
  Index open_ = -1;
};

}  // namespace trisweep::engine
