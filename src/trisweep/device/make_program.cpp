#include "trisweep/device/make_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "trisweep/core/error.hpp"
#include "trisweep/device/program_builder.hpp"

namespace trisweep::device {
namespace {

// Entries of small diagonal blocks in one item.
constexpr Offset diagonal_entries = 4096;

std::string_view name_of(plan::Part part) {
  switch (part) {
    case plan::Part::forward:
      return "forward sweep";
    case plan::Part::backward:
      return "backward sweep";
    case plan::Part::exchange:
      return "exchange between layers";
    case plan::Part::diagonal:
      return "product with the diagonal's inverse";
    case plan::Part::vectors:
      return "exchange of vectors";
  }
  return "";
}

}  // namespace

PlanBuilder::PlanBuilder(const symbolic::Structure& structure, const distribution::LocalBlocks& local_blocks,
                         const plan::Plan& plan, ExchangeBackend exchange_backend)
    : ProgramBuilder(local_blocks.rank, local_blocks.work_rows(), exchange_backend),
      local_blocks_(local_blocks),
      priority_(critical_path_priority(structure)),
      positions_(distribution::piece_positions(structure, local_blocks)) {
  position_at_.fill(-1);
  program_.rows += plan::extra_rows(plan);
}

void PlanBuilder::add(const plan::Phase& phase) {
  const Index first = items();
  phase_ = static_cast<Index>(program_.part.size());
  program_.part.emplace_back(first, plan::part_of(phase));
  std::visit([&](const auto& p) { add(p); }, phase);
  if (items() > first) program_.item[usize(first)].opens = static_cast<Index>(program_.part.size()) - 1;
}

Index ProgramBuilder::new_rows(Offset count) {
  const Index first = program_.rows;
  program_.rows += static_cast<Index>(count);
  return first;
}

void ProgramBuilder::end_launch_for(const StagedMessage& staged_message) {
  const auto next = static_cast<Index>(program_.staged_message.size());
  if (program_.boundary.empty() || program_.boundary.back().item != items())
    program_.boundary.push_back({items(), {next, next}});
  program_.staged_message.push_back(staged_message);
  program_.boundary.back().staged_message.end = next + 1;
}

Index ProgramBuilder::expect(Index from, Index rows) {
  const Address address{new_rows(rows), rows, program_.messages()};
  program_.inbound.push_back({from, address});
  return address.signal;
}

Index ProgramBuilder::promise(Index to, Index rows) {
  const auto put = static_cast<Index>(program_.put.size());
  program_.put.push_back({.pe = to, .row = none, .signal = none});
  program_.outbound.push_back({.to = to, .rows = rows, .put = put});
  return put;
}

RowBlock PlanBuilder::row_block(const plan::RowBlock& of, Offset positions) const {
  return {.value = of.value,
          .position = positions + of.position,
          .piece = of.piece,
          .height = of.height,
          .width = of.width,
          .row_begin = of.row_begin,
          .row_end = of.row_end,
          .at = of.at.value()};
}

Offset PlanBuilder::positions_of(const plan::SweepPhase& phase) {
  const auto end = std::ssize(program_.position);
  const auto append = [&](const std::vector<Index>& list) {
    program_.position.insert(program_.position.end(), list.begin(), list.end());
  };
  if (!phase.position.empty()) {
    append(phase.position);
    return end;
  }
  Offset& at = position_at_[static_cast<std::size_t>(phase.side)];
  if (at < 0) {
    at = end;
    append(positions_.side(phase.side));
  }
  return at;
}

void PlanBuilder::add_diagonal(Range row_blocks, Op op, Index after) {
  for (Index i = row_blocks.begin; i < row_blocks.end; ++i)
    program_.scratch = std::max(program_.scratch, program_.row_block[usize(i)].width);
  program_.item.push_back(
      {.action = Action::product, .at = static_cast<Index>(program_.product.size()), .after = after});
  program_.product.push_back({.row_block = row_blocks,
                              .side = static_cast<std::uint8_t>(distribution::Side::diagonal),
                              .multiply = op == Op::none ? Multiply::in_place : Multiply::in_place_by_rows,
                              .conjugate = op == Op::conjugate_transpose});
}

void PlanBuilder::add(const plan::DiagonalPhase& phase) {
  const Index after = items();
  const auto size = [&](Index i) {
    return Offset{phase.row_block[usize(i)].width} * phase.row_block[usize(i)].width;
  };
  in_parts(static_cast<Index>(phase.row_block.size()), diagonal_entries, size, [&](Range of, Offset) {
    const auto begin = static_cast<Index>(program_.row_block.size());
    for (Index i = of.begin; i < of.end; ++i)
      program_.row_block.push_back(row_block(phase.row_block[usize(i)], 0));
    add_diagonal({begin, static_cast<Index>(program_.row_block.size())}, phase.op, after);
  });
}

void PlanBuilder::add(const plan::ExchangePhase& phase) {
  for (const plan::ExchangeStep& step : phase.step) add(step);
}

// With puts, a step is as many messages as it has parts, which both ends split in the same way; the host
// carries it as one message.
void PlanBuilder::add(const plan::ExchangeStep& step) {
  const bool is_sent = step.transfer == plan::Transfer::send;
  StagedMessage staged_message{
      .phase = phase_, .number = step.number, .peer = step.rank.value(), .is_sent = is_sent};
  staged_message.rows = static_cast<Index>(step.rows);
  staged_message.row = uses_mpi() ? new_rows(step.rows) : none;
  if (uses_mpi() && !is_sent) end_launch_for(staged_message);
  Index packed = staged_message.row;
  const Index after = items();
  const auto width = [&](Index i) { return local_blocks_.width(step.segment[usize(i)].value()); };
  in_parts(static_cast<Index>(step.segment.size()), moved_rows, width, [&](Range of, Offset rows) {
    Transfer transfer{.run = {static_cast<Index>(program_.run.size()), 0}, .comes = !is_sent, .row = packed};
    for (Index i = of.begin; i < of.end; ++i)
      program_.run.push_back({local_blocks_.slot[usize(step.segment[usize(i)])], width(i)});
    transfer.run.end = static_cast<Index>(program_.run.size());
    transfer.adds = step.transfer == plan::Transfer::receive_add;
    if (uses_mpi()) {
      packed += static_cast<Index>(rows);
    } else if (is_sent) {
      transfer.put = promise(step.rank.value(), static_cast<Index>(rows));
    } else {
      transfer.signal = expect(step.rank.value(), static_cast<Index>(rows));
      transfer.row = program_.inbound.back().address.row;
    }
    const auto at = static_cast<Index>(program_.transfer.size());
    program_.transfer.push_back(transfer);
    program_.item.push_back({.action = Action::transfer, .at = at, .after = after});
  });
  if (uses_mpi() && is_sent) end_launch_for(staged_message);
}

void ProgramBuilder::add_cleared(const std::vector<RowRun>& runs, Index after) {
  const auto base = static_cast<Index>(program_.run.size());
  program_.run.insert(program_.run.end(), runs.begin(), runs.end());
  in_parts(
      static_cast<Index>(runs.size()), moved_rows, [&](Index i) { return runs[usize(i)].rows; },
      [&](Range of, Offset) {
        program_.item.push_back(
            {.action = Action::clear, .at = base + of.begin, .end = base + of.end, .after = after});
      });
}

Program ProgramBuilder::take() && {
  std::vector<Index> senders;
  for (const Inbound& message : program_.inbound) senders.push_back(message.from);
  std::ranges::sort(senders);
  senders.erase(std::unique(senders.begin(), senders.end()), senders.end());
  for (const Index pe : senders) program_.source.push_back({.pe = pe, .row = 0, .signal = none});
  if (!senders.empty()) program_.item.push_back({.action = Action::close, .at = 0, .after = items()});
  return std::move(program_);
}

Program make_program(const symbolic::Structure& structure, const distribution::LocalBlocks& local_blocks,
                     const plan::Plan& plan, ExchangeBackend exchange_backend) {
  PlanBuilder builder(structure, local_blocks, plan, exchange_backend);
  for (const plan::Phase& phase : plan.phase) builder.add(phase);
  return std::move(builder).take();
}

std::vector<std::vector<Address>> addresses(const Program& program, Index pes) {
  std::vector<std::vector<Address>> by_sender(usize(pes));
  for (const Inbound& message : program.inbound) by_sender[usize(message.from)].push_back(message.address);
  return by_sender;
}

void connect(Program& program, Index pe, const std::vector<Address>& there, Index finished) {
  auto address = there.begin();
  for (const Outbound& message : program.outbound) {
    if (message.to != pe) continue;
    if (address == there.end() || address->rows != message.rows) break;
    program.put[usize(message.put)] = {pe, address->row, address->signal};
    ++address;
  }
  const auto sent = std::ranges::count(program.outbound, pe, &Outbound::to);
  if (address != there.end() || sent != std::ssize(there))
    throw Error(
        ErrorKind::usage,
        fmt::format("rank {} does not send what rank {} waits for: their plans differ", program.pe, pe),
        "use the same solver options on every rank");
  for (Put& source : program.source)
    if (source.pe == pe) source.signal = finished;
}

std::vector<Index> peers_of(const Program& program) {
  std::vector<Index> peers{program.pe};
  for (const Inbound& message : program.inbound) peers.push_back(message.from);
  for (const Outbound& message : program.outbound) peers.push_back(message.to);
  std::ranges::sort(peers);
  peers.erase(std::unique(peers.begin(), peers.end()), peers.end());
  return peers;
}

void number_peers(Program& program, std::vector<Index> peers) {
  const auto renumber = [&](Index& pe) {
    pe = static_cast<Index>(std::ranges::lower_bound(peers, pe) - peers.begin());
  };
  renumber(program.pe);
  for (auto* list : {&program.put, &program.source})
    for (Put& put : *list) renumber(put.pe);
  program.peers = std::move(peers);
}

std::string describe_waiting(const Program& program, Index item) {
  const auto next = std::ranges::upper_bound(program.part, item, {}, &std::pair<Index, plan::Part>::first);
  const plan::Part part = next == program.part.begin() ? plan::Part::forward : std::prev(next)->second;
  std::string text = fmt::format("rank {} waits in the {}", program.rank, name_of(part));
  const auto from = [&](Index signal) { return program.inbound[usize(signal)].from; };
  const Item& of = program.item[usize(item)];
  if (of.action == Action::reduce_forward) {
    const ReduceForward& reduce_forward = program.reduce_forward[usize(of.at)];
    text += reduce_forward.supernode == none ? " for the verdict"
                                             : fmt::format(" for supernode {}", reduce_forward.supernode);
    for (Index i = reduce_forward.signal.begin; i < reduce_forward.signal.end; ++i)
      text += fmt::format("{} rank {}", i == reduce_forward.signal.begin ? ", of" : ",",
                          from(program.signal[usize(i)]));
  } else if (of.action == Action::product) {
    const Range& read = program.product[usize(of.at)].read;
    for (Index i = read.begin; i < read.end; ++i)
      text += fmt::format("{} supernode {}", i == read.begin ? " for" : ",",
                          program.supernode[usize(program.read[usize(i)])]);
  } else if (of.action == Action::transfer) {
    const Transfer& transfer = program.transfer[usize(of.at)];
    text += fmt::format(" for rank {}, which shares segments with it",
                        transfer.signal == none ? program.number_of(program.put[usize(transfer.put)].pe)
                                                : from(transfer.signal));
  } else if (of.action == Action::vectors) {
    const VectorMove& move = program.vector_move[usize(of.at)];
    const auto peer =
        move.signal == none ? program.number_of(program.put[usize(move.put)].pe) : from(move.signal);
    text += fmt::format(" for rank {}", peer);
  }
  return text;
}

void connect(std::vector<Program>& programs) {
  const auto pes = static_cast<Index>(programs.size());
  for (Index receiver = 0; receiver < pes; ++receiver) {
    const auto by_sender = addresses(programs[usize(receiver)], pes);
    const Index messages = programs[usize(receiver)].messages();
    for (Program& sender : programs)
      connect(sender, receiver, by_sender[usize(sender.pe)], messages + sender.pe);
  }
}

}  // namespace trisweep::device
