#pragma once
// How the messages of a solve travel. A transport is made from a plan's messages, and serves every solve with
// that plan; the executor sees only this interface.
//
// A solve is a sequence of phases. A phase's messages are numbered at each end, by their places in the lists
// of what comes and of what goes. Solves follow each other without a global barrier: a fast rank may already
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

// What is known of a message before it is sent.
struct Envelope {
  Index peer;   // its sender, or its receiver
  Offset name;  // what it is about: for nothing but to find out that the plans of two ranks differ
  Offset rows;
};

// All messages of one rank in one phase. Both ends of a message list it, with the same name and rows, and
// those from one rank to another in the same order.
struct PhaseMessages {
  std::vector<Envelope> in;
  std::vector<Envelope> out;
};

// What a transport has to carry: phase by phase, where a row has at most `row_bytes` bytes.
struct CommunicationPattern {
  std::vector<PhaseMessages> phase;
  std::size_t row_bytes = 0;
};

// A message that has come and waits to be received.
struct Arrival {
  Index from;
  Index number;  // of the phase's incoming messages as its pattern lists them
  std::size_t bytes;
  MPI_Message message = MPI_MESSAGE_NULL;  // two-sided
  const void* data = nullptr;              // others: where it lies
};

class Transport {
 public:
  virtual ~Transport() = default;

  virtual void open_phase(Index phase) = 0;
  // One of the phase's outgoing messages, by its place in the pattern's list. `data` must stay as it is until
  // the phase is closed. Throws Error(environment) when there is no such message.
  virtual void send(Index number, const void* data, std::size_t bytes) = 0;
  // Any message of the open phase that has come; nothing when there is none now.
  virtual std::optional<Arrival> poll() = 0;
  // This one, if it has come.
  virtual std::optional<Arrival> poll(Index number) = 0;
  // Each arrival is received once, before the phase is closed. Throws Error(environment) when the message is
  // not of `bytes` bytes: then the ranks' plans disagree.
  virtual void receive(Arrival& arrival, void* data, std::size_t bytes) = 0;
  // Waits until every message sent in the phase has left; all of its receives have been made by then.
  virtual void close_phase(Watchdog& watchdog) = 0;
  virtual void close_solve(Watchdog& watchdog) = 0;
};

// Collective over `comm`, which outlives the transport. `pattern`: of the calling rank.
using TransportFunction = std::unique_ptr<Transport>(const Communicator& comm,
                                                     const CommunicationPattern& pattern);
using TransportFactory = std::function<TransportFunction>;

// The transports by the names that users know; each is one such function.
struct NamedTransport {
  std::string_view name;
  TransportFunction* make;
  bool always = false;     // to be had wherever there is MPI: no need to try
  bool preferred = false;  // chosen by default, by ranks that can have it
};
std::span<const NamedTransport> transports();
// Throws Error(usage) that lists the names there are.
const NamedTransport& find_transport(std::string_view name);
// Why these ranks cannot have it, with a remedy; empty when they can. Makes one without messages to see.
// Collective.
std::string obstacle(const Communicator& comm, std::string_view name);
// By default: the first preferred one that these ranks can have, if they are several; else one
// that is always to be had. Collective.
const NamedTransport& usual_transport(const Communicator& comm);
std::unique_ptr<Transport> make_usual(const Communicator& comm, const CommunicationPattern& pattern);

// The message that a rank sends under this number; throws Error(environment) when there is none.
template <class Outgoing>
const Outgoing& numbered(const std::vector<Outgoing>& messages, Index number) {
  if (number >= 0 && usize(number) < messages.size()) return messages[usize(number)];
  throw Error(ErrorKind::environment, "the plan has no such message: " + std::to_string(number));
}

// Throws Error(environment) when the message that came is not of the size expected.
void check_size(const Arrival& arrival, std::size_t expected);

}  // namespace trisweep::mpi
