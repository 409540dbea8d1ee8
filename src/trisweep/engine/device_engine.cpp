#include "trisweep/engine/device_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>

#include "trisweep/engine/communication_pattern.hpp"
#include "trisweep/transport/agreement.hpp"

namespace trisweep::engine {
namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Every rank's lists, one after another, and where each begins.
template <class V>
struct AllLists {
  std::vector<Offset> begin{0};  // by rank; last: their length
  std::vector<V> entry;

  std::span<const V> of(Index rank) const {
    return std::span(entry).subspan(usize(begin[usize(rank)]),
                                    usize(begin[usize(rank) + 1] - begin[usize(rank)]));
  }
};

// Collective.
template <class V>
AllLists<V> lists_of_all(const transport::Communicator& comm, const std::vector<V>& mine) {
  const auto lists = comm.gather(mine);
  AllLists<V> all;
  transport::collectively(comm, [&] {
    for (const auto& list : lists) {
      all.entry.insert(all.entry.end(), list.begin(), list.end());
      all.begin.push_back(std::ssize(all.entry));
    }
  });
  comm.broadcast(all.begin);
  comm.broadcast(all.entry);
  return all;
}

// A worker that waits hears of ranks that have failed.
class Listener final : public device::Watch {
 public:
  explicit Listener(const transport::Communicator& comm) : comm_(comm) {}
  void look() override {
    constexpr long looks_per_look_around = 64;
    if (++looks_ % looks_per_look_around == 0) comm_.listen(true);
  }

 private:
  const transport::Communicator& comm_;
  long looks_ = 0;
};

// Notes when phases begin: with the first item of each.
struct NotingBlock : device::HostBlock {
  const device::Program* program;
  std::vector<double>* begin_of_phase;

  void begin(Index item) const {
    for (std::size_t p = 0; p < program->part.size(); ++p)
      if (program->part[p].first == item) (*begin_of_phase)[p] = seconds_now();
  }
};

// Of what brings b in and x out alone.
transport::CommunicationPattern pattern_of_vectors(const plan::Plan& plan, std::size_t row_bytes) {
  transport::CommunicationPattern pattern = pattern_of(plan, row_bytes);
  for (std::size_t p = 0; p < plan.phase.size(); ++p)
    if (!std::holds_alternative<plan::VectorPhase>(plan.phase[p])) pattern.phase[p] = {};
  return pattern;
}

PhaseProfile in_bytes(const plan::RankTraffic& traffic, Offset row_bytes) {
  PhaseProfile done;
  for (const plan::MessageKind kind : plan::message_kinds) {
    const auto& both = traffic.of(kind);
    done.sent[plan::index_of(kind)] = {both.sent.messages, both.sent.rows * row_bytes};
    done.received[plan::index_of(kind)] = {both.received.messages, both.received.rows * row_bytes};
  }
  return done;
}

}  // namespace

template <Scalar T>
DeviceEngine<T>::DeviceEngine(const RankSystem<T>& system, const EngineOptions& options)
    : system_(system),
      options_(options),
      vectors_(system.crew, system.share.rank),
      scales_(system.ordering, system.partition, system.comm.rank()) {}

template <Scalar T>
DeviceEngine<T>::~DeviceEngine() {
  if (system_.comm.abandoned()) vectors_.release();
}

template <Scalar T>
Index DeviceEngine<T>::room(Op op) const {
  const auto found = prepared_.find(op);
  return found == prepared_.end() ? 0 : found->second->nrhs;
}

template <Scalar T>
void DeviceEngine<T>::prepare(Op op, const plan::Plan& plan, Index nrhs) {
  const transport::Communicator& comm = system_.comm;
  transport::require_matching(
      comm, transport::collectively(comm, [&] { return pattern_of(plan, usize(nrhs) * sizeof(T)); }));
  if (!system_.panels.values(distribution::Side::lower).template is<T>())
    throw transport::CollectiveError(ErrorKind::usage,
                                     "--device host has no products with panels in a lower precision\n"
                                     "  remedy: use --precision double and --compress off, or --device cpu");
  const transport::Communicator node = comm.of_node();
  if (node.size() != comm.size())
    throw transport::CollectiveError(ErrorKind::usage,
                                     "ranks on different nodes share no memory, through which --device host "
                                     "exchanges segments\n  remedy: use --device cpu");
  auto made = transport::collectively(comm, [&] {
    auto prepared = std::make_unique<Prepared>();
    prepared->plan = &plan;
    prepared->nrhs = nrhs;
    prepared->program = device::make_program(*system_.distribution.structure, system_.share, plan);
    for (const plan::Phase& phase : plan.phase) prepared->traffic.push_back(plan::traffic_of(phase));
    prepared->begin.resize(plan.phase.size() + 1);
    vectors_.reserve(plan, nrhs);
    return prepared;
  });
  const auto pattern =
      transport::collectively(comm, [&] { return pattern_of_vectors(plan, usize(nrhs) * sizeof(T)); });
  made->transport = options_.transport(comm, pattern);
  const auto layout = device::shared_layout(made->program, comm.size());
  made->memory.emplace(node, layout.template bytes<T>(nrhs));
  connect(*made);
  transport::collectively(comm, [&] {
    made->pe.emplace(made->program, comm.size(), system_.crew.size(), nrhs, made->memory->part(comm.rank()));
    prepared_[op] = std::move(made);
  });
}

template <Scalar T>
void DeviceEngine<T>::connect(Prepared& prepared) const {
  const transport::Communicator& comm = system_.comm;
  const auto layouts =
      lists_of_all<device::SharedLayout>(comm, {device::shared_layout(prepared.program, comm.size())});
  const auto inbound = lists_of_all(comm, prepared.program.inbound);
  transport::collectively(comm, [&] {
    for (Index rank = 0; rank < comm.size(); ++rank) {
      std::vector<device::Address> of_mine;
      for (const device::Inbound& message : inbound.of(rank))
        if (message.from == comm.rank()) of_mine.push_back(message.address);
      device::connect(prepared.program, rank, of_mine, static_cast<Index>(inbound.of(rank).size()));
      prepared.memory_of.push_back(layouts.of(rank).front().template at<T>(prepared.memory->part(rank)));
    }
  });
}

template <Scalar T>
SolveProfile DeviceEngine<T>::run(Op op, Vectors<const T> b, Vectors<T> x, bool scaled) {
  Prepared& prepared = *prepared_.at(op);
  transport::Patience patience(options_.watchdog, &system_.comm);
  const kernels::Work<T> rows{.row = prepared.pe->rows(), .scratch = nullptr, .nrhs = b.cols};
  // Segments whose right-hand side enters in another layer start at zero (SC'23 Algorithm 1, line 8).
  if (system_.distribution.mapping->layers() > 1)
    std::fill_n(rows.row, usize(system_.share.work_rows()) * usize(b.cols), T{});
  const Run<T> run{.work = rows,
                   .transport = *prepared.transport,
                   .patience = patience,
                   .recorder = nullptr,
                   .vectors = scales_.vectors(op, b, x, scaled)};
  SolveProfile done;
  done.of(plan::Part::vectors) += bring(prepared, plan::VectorWay::in, run);
  work(prepared, b.cols);
  done.of(plan::Part::vectors) += bring(prepared, plan::VectorWay::out, run);
  prepared.transport->close_solve(patience);
  add_phases(prepared, b.cols, done);
  return done;
}

template <Scalar T>
PhaseProfile DeviceEngine<T>::bring(const Prepared& prepared, plan::VectorWay way, const Run<T>& run) {
  PhaseProfile done;
  const double start = seconds_now();
  for (std::size_t p = 0; p < prepared.plan->phase.size(); ++p) {
    const auto* phase = std::get_if<plan::VectorPhase>(&prepared.plan->phase[p]);
    if (phase != nullptr && phase->way == way) done += vectors_.run(*phase, static_cast<Index>(p), run);
  }
  done.seconds = seconds_now() - start;
  return done;
}

template <Scalar T>
void DeviceEngine<T>::work(Prepared& prepared, Index nrhs) {
  std::array<const T*, distribution::sides.size()> value{};
  for (const auto side : distribution::sides)
    value[static_cast<std::size_t>(side)] = system_.panels.values(side).template as<T>();
  const double patience = std::isfinite(options_.watchdog) ? options_.watchdog : 0;
  const device::Solve solve = prepared.pe->next(nrhs, patience);
  std::ranges::fill(prepared.begin, 0);
  const double start = seconds_now();
  Listener listener(system_.comm);
  const auto serve = [&](int thread) {
    NotingBlock block;
    block.watch = thread == 0 ? &listener : nullptr;
    block.program = &prepared.program;
    block.begin_of_phase = &prepared.begin;
    prepared.pe->work(prepared.memory_of, value, solve, thread, block);
  };
  system_.crew.run(std::ref(serve));  // by reference: a solve allocates nothing
  if (prepared.pe->failed()) give_up(prepared);
  // A phase without items begins when the one before it does.
  prepared.begin.back() = seconds_now();
  double last = start;
  for (double& begin : prepared.begin) last = begin = std::max(begin, last);
}

template <Scalar T>
void DeviceEngine<T>::give_up(const Prepared& prepared) const {
  if (const auto stalled = prepared.pe->stalled())
    throw transport::Stalled(ErrorKind::environment,
                             fmt::format("nothing moved for {:g} s: {}", options_.watchdog, *stalled),
                             "see which rank the others wait for, and whether it still runs");
  // Whoever has failed is about to say so.
  transport::Patience patience(std::numeric_limits<double>::infinity(), &system_.comm);
  for (;;) patience.nothing_yet([] { return std::string(); });
}

// What the program has done.
template <Scalar T>
void DeviceEngine<T>::add_phases(const Prepared& prepared, Index nrhs, SolveProfile& done) const {
  for (std::size_t p = 0; p < prepared.plan->phase.size(); ++p) {
    const plan::Part part = plan::part_of(prepared.plan->phase[p]);
    if (part == plan::Part::vectors) continue;
    PhaseProfile of = in_bytes(prepared.traffic[p], nrhs * static_cast<Offset>(sizeof(T)));
    of.seconds = prepared.begin[p + 1] - prepared.begin[p];
    done.of(part) += of;
  }
}

#define INSTANTIATE(T) template class DeviceEngine<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::engine
