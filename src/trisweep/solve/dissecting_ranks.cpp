#include "trisweep/solve/dissecting_ranks.hpp"

#include <fmt/format.h>

#include <initializer_list>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "trisweep/core/error.hpp"

namespace trisweep::solve {
namespace {

using mpi::Communicator;
using ordering::Dissection;
using ordering::Subdomain;
using ordering::TreeVertices;

// Header of the message with a subdomain; without vertices: there is nothing to dissect.
struct Task {
  Index vertices = 0;
  Index inner = 0;
  Index edges = 0;
  Dissection how{};
};
static_assert(std::is_trivially_copyable_v<Task>);

// Of the ranks [begin, end), those before the middle keep their half of the work.
Index middle(Index begin, Index end) {
  return begin + (end - begin + 1) / 2;
}

struct Place {
  Index leader;  // the rank that passes a subdomain to this rank
  Index end;     // the ranks up to `end` share it
};
Place place_of(Index rank, Index ranks) {
  for (Index begin = 0, end = ranks;;) {
    const Index mid = middle(begin, end);
    if (rank == mid) return {begin, end};
    (rank < mid ? end : begin) = mid;
  }
}

// A failed transfer revokes the communicator, since other ranks wait for it.
template <class Transfer>
void transfer(const Communicator& comm, const Transfer& work) {
  try {
    work();
  } catch (const mpi::CollectiveError&) {
    throw;
  } catch (...) {
    const mpi::Failure failure = mpi::current_failure();
    comm.revoke(failure);
    throw mpi::CollectiveError(failure.kind, failure.message());
  }
}

template <class T>
void send(const Communicator& comm, std::span<T> values, Index to) {
  transfer(comm, [&] { comm.send_bytes(values.data(), values.size_bytes(), to, mpi::Tag::dissection); });
}
template <class T>
void receive(const Communicator& comm, std::span<T> values, Index from) {
  transfer(comm, [&] { comm.receive_bytes(values.data(), values.size_bytes(), from, mpi::Tag::dissection); });
}
template <class T>
requires std::is_trivially_copyable_v<T>
void send(const Communicator& comm, const T& value, Index to) {
  send(comm, std::span(&value, 1), to);
}
template <class T>
requires std::is_trivially_copyable_v<T> T receive(const Communicator& comm, Index from) {
  T value;
  receive(comm, std::span(&value, 1), from);
  return value;
}

// Runs work(), and reports to `leader`, which waits in hear(), whether it failed.
template <class Work>
void tell(const Communicator& comm, Index leader, const Work& work) {
  mpi::Failure failure;
  try {
    work();
  } catch (const mpi::CollectiveError&) {
    throw;
  } catch (...) {
    failure = mpi::current_failure();
    send(comm, failure, leader);
    throw;
  }
  send(comm, failure, leader);
}
// Waits for the report of tell() and throws its error, if any.
void hear(const Communicator& comm, Index helper) {
  const auto failure = receive<mpi::Failure>(comm, helper);
  if (failure.failed) throw Error(failure.kind, fmt::format("rank {}: {}", helper, failure.message()));
}

// Concatenates arrays for one message.
std::vector<Index> pack(std::initializer_list<std::span<const Index>> arrays) {
  std::vector<Index> packed;
  for (const auto& array : arrays) packed.insert(packed.end(), array.begin(), array.end());
  return packed;
}
// Removes the first `size` values from `packed` and returns them.
std::vector<Index> unpack(std::span<const Index>& packed, Index size) {
  const auto first = packed.first(usize(size));
  packed = packed.subspan(usize(size));
  return {first.begin(), first.end()};
}

// Packed sizes of a graph, and of an order: the number of vertices of each tree node, then the vertices.
std::size_t packed_graph_size(const Task& task) {
  return 2 * usize(task.vertices) + 1 + usize(task.edges);
}
Index nodes_of(const Task& task) {
  return Index{2} << task.how.levels;
}
std::size_t packed_order_size(const Task& task) {
  return usize(nodes_of(task)) + usize(task.inner);
}

std::vector<Index> packed_order(const Task& task, const TreeVertices& nodes) {
  std::vector<Index> packed;
  packed.reserve(packed_order_size(task));
  for (const auto& list : nodes) packed.push_back(static_cast<Index>(list.size()));
  for (const auto& list : nodes) packed.insert(packed.end(), list.begin(), list.end());
  return packed;
}

class AnswerOfRank final : public ordering::Helpers::Answer {
 public:
  AnswerOfRank(const Communicator& comm, const Task& task, const ordering::Graph& graph)
      : comm_(comm),
        task_(task),
        graph_(pack({graph.ptr, graph.adjacent, graph.weight})),
        order_(packed_order_size(task)) {}
  ~AnswerOfRank() override {
    if (!is_due_ || comm_.revoked()) return;
    try {  // receives and discards the order while another error unwinds
      receive_order();
    } catch (...) {
    }
  }
  AnswerOfRank(const AnswerOfRank&) = delete;
  AnswerOfRank& operator=(const AnswerOfRank&) = delete;

  // Allocates nothing, since the helper waits.
  void ask(Index helper) {
    helper_ = helper;
    send(comm_, task_, helper);
    hear(comm_, helper);  // whether it has allocated
    is_due_ = true;
    send(comm_, std::span(graph_), helper);
    graph_ = {};
  }

  TreeVertices take() override {
    receive_order();
    std::span<const Index> rest(order_);
    TreeVertices nodes;
    for (const Index size : unpack(rest, nodes_of(task_))) nodes.push_back(unpack(rest, size));
    return nodes;
  }

 private:
  void receive_order() {
    is_due_ = false;
    hear(comm_, helper_);
    receive(comm_, std::span(order_), helper_);
  }

  const Communicator& comm_;
  Task task_;
  std::vector<Index> graph_;
  std::vector<Index> order_;
  Index helper_ = -1;
  bool is_due_ = false;
};

}  // namespace

DissectingRanks::~DissectingRanks() {
  if (comm_.revoked()) return;
  try {
    let_go();
  } catch (...) {  // while another error unwinds
  }
}

void DissectingRanks::let_go() {
  while (end_ - comm_.rank() > 1) send(comm_, Task{}, pass_on_half());
}

// Halves this rank's range of ranks; returns the first rank of the second half.
Index DissectingRanks::pass_on_half() {
  return end_ = middle(comm_.rank(), end_);
}

std::unique_ptr<ordering::Helpers::Answer> DissectingRanks::give(const Subdomain& domain) {
  if (end_ - comm_.rank() < 2) return nullptr;
  const Task task{.vertices = domain.graph.vertices(),
                  .inner = domain.inner,
                  .edges = domain.graph.edges(),
                  .how = domain.how};
  auto answer = std::make_unique<AnswerOfRank>(comm_, task, domain.graph);
  answer->ask(pass_on_half());
  return answer;
}

void help_to_dissect(const Communicator& comm) {
  const auto [leader, end] = place_of(comm.rank(), comm.size());
  const auto task = receive<Task>(comm, leader);
  DissectingRanks others(comm, end, [] {});
  if (task.vertices == 0) return others.let_go();
  std::vector<Index> packed;
  tell(comm, leader, [&] { packed.resize(packed_graph_size(task)); });
  receive(comm, std::span(packed), leader);
  tell(comm, leader, [&] {
    std::span<const Index> rest(packed);
    Subdomain domain;
    domain.inner = task.inner;
    domain.how = task.how;
    domain.graph.ptr = unpack(rest, task.vertices + 1);
    domain.graph.adjacent = unpack(rest, task.edges);
    domain.graph.weight = unpack(rest, task.vertices);
    packed = packed_order(task, dissect_with_metis(domain, &others, silent_observer()));
  });
  others.let_go();
  send(comm, std::span(packed), leader);
}

}  // namespace trisweep::solve
