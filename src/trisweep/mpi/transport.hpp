#pragma once
// How the messages of a solve travel. A transport is made from a plan's messages, and serves every solve with
// that plan; the executor sees only this interface.
//
// A solve is a sequence of phases. Each end numbers a phase's messages, by their positions in its lists of
// incoming and outgoing messages. Solves follow each other without a global barrier: a fast rank may already
// send for the next phase, or the next solve, and its messages must not be taken for those of the open phase.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "trisweep/mpi/communicator.hpp"
#include "trisweep/mpi/watchdog.hpp"

namespace trisweep::mpi {

// Description of a message, known before it is sent.
struct Envelope {
  Index peer;   // its sender, or its receiver
  Offset name;  // what it is about; only serves to detect that the plans of two ranks differ
  Offset rows;
};

// All messages of one rank in one phase. Both ends of a message list it, with the same name and rows, and
// those from one rank to another in the same order.
struct PhaseMessages {
  std::vector<Envelope> in;
  std::vector<Envelope> out;
};

// All messages that a transport carries, by phase; a row has at most `row_bytes` bytes.
struct CommunicationPattern {
  std::vector<PhaseMessages> phase;
  std::size_t row_bytes = 0;
};

// A message that has arrived and waits to be received.
struct Arrival {
  Index from;
  Index number;  // position in the pattern's list of the phase's incoming messages
  std::size_t bytes;
  MPI_Message message = MPI_MESSAGE_NULL;  // two-sided
  const void* data = nullptr;              // other transports: the data in place
};

class Transport {
 public:
  virtual ~Transport() = default;

  virtual void open_phase(Index phase) = 0;
  // Sends one of the phase's outgoing messages, by its position in the pattern's list. `data` must not change
  // until the phase is closed. Throws Error(environment) if there is no such message.
  virtual void send(Index number, const void* data, std::size_t bytes) = 0;
  // Returns any message of the open phase that has arrived; nothing if there is none now.
  virtual std::optional<Arrival> poll() = 0;
  // Returns this message, if it has arrived.
  virtual std::optional<Arrival> poll(Index number) = 0;
  // Each arrival is received once, before the phase is closed. Throws Error(environment) if the message does
  // not have `bytes` bytes: then the ranks' plans differ.
  virtual void receive(Arrival& arrival, void* data, std::size_t bytes) = 0;
  // Waits until every message sent in the phase has left. Its incoming messages must have been received
  // before.
  virtual void close_phase(Watchdog& watchdog) = 0;
  virtual void close_solve(Watchdog& watchdog) = 0;
};

// Collective over `comm`, which outlives the transport. `pattern`: of the calling rank.
using TransportFunction = std::unique_ptr<Transport>(const Communicator& comm,
                                                     const CommunicationPattern& pattern);
using TransportFactory = std::function<TransportFunction>;

// A transport by the name that users know.
struct NamedTransport {
  std::string_view name;
  TransportFunction* make;
  bool always = false;     // available wherever there is MPI: no need to try
  bool preferred = false;  // the default where it is available
};
std::span<const NamedTransport> transports();
// Throws Error(usage), which lists the names, for an unknown one.
const NamedTransport& find_transport(std::string_view name);
// Reason why these ranks cannot use the transport, with a remedy; empty if they can. Finds out by making one
// without messages. Collective.
std::string obstacle(const Communicator& comm, std::string_view name);
// The default transport: for several ranks, the first preferred one that is available to them; else one that
// is always available. Collective.
const NamedTransport& usual_transport(const Communicator& comm);
std::unique_ptr<Transport> make_usual(const Communicator& comm, const CommunicationPattern& pattern);

// Returns the outgoing message of this number; throws Error(environment) if there is none.
template <class Outgoing>
const Outgoing& numbered(const std::vector<Outgoing>& messages, Index number) {
  if (number >= 0 && usize(number) < messages.size()) return messages[usize(number)];
  throw Error(ErrorKind::environment, "the plan has no such message: " + std::to_string(number));
}

// Throws Error(environment) if the message does not have the expected size.
void check_size(const Arrival& arrival, std::size_t expected);

}  // namespace trisweep::mpi
