// Runs the counters of a sweep of all ranks in one process, without numbers: messages are delivered in random
// order, so that a plan that relies on luck is found out.

#include "trisweep/plan/sweep.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "gallery/gallery.hpp"
#include "support/structure.hpp"
#include "trisweep/core/slabs.hpp"
#include "trisweep/plan/make_plan.hpp"
#include "trisweep/plan/message_peers.hpp"
#include "trisweep/plan/sweep_machine.hpp"
#include "trisweep/plan/variants.hpp"

namespace trisweep::plan {
namespace {

using distribution::LocalBlocks;

struct Sent {
  RankId from;
  Index number;  // there
  RankId to;
  Index supernode;
  MessageKind kind;
};

// One rank's engine, reduced to counting. Of the tasks that are ready it runs the last one first, against the
// order of the plan.
class Rank {
  auto machine() { return SweepMachine<Index, Rank&>(phase_, counters_, *this); }

 public:
  // `stays`: partial sums of some rows stay on the ranks that make them.
  Rank(const SweepPhase& phase, const LocalBlocks& local_blocks, bool stays, std::vector<Sent>& network)
      : phase_(phase), local_blocks_(local_blocks), stays_(stays), network_(network) {
    counters_.reserve(phase);
  }

  void start() {
    machine().start();
    run_tasks();
  }

  // `number`: here.
  void receive(const Sent& m, Index number) {
    const Incoming& expected = phase_.incoming[usize(number)];
    EXPECT_EQ(phase_.segment[expected.segment].supernode, m.supernode);
    EXPECT_EQ(expected.kind, m.kind);
    EXPECT_EQ(expected.from, m.from);
    EXPECT_TRUE(received_.insert(number).second) << "a message came twice";
    machine().message_came(number);
    run_tasks();
  }

  // The segments that the rank passed on, in that order.
  const std::vector<Index>& passed_on() const { return passed_on_; }

  void expect_finished() const {
    EXPECT_EQ(row_blocks_.size(), phase_.row_block.size());
    EXPECT_EQ(sent_.size(), phase_.outgoing.size());
    EXPECT_EQ(received_.size(), phase_.incoming.size());
    for (const Index p : counters_.pending) EXPECT_EQ(p, 0);
  }

  // What the machine asks for.
  void sum_up(SegmentId s) {
    const Segment& segment = phase_.segment[s];
    passed_on_.push_back(segment.supernode);
    const Index local = local_blocks_.local(segment.supernode);
    EXPECT_TRUE(segment.parent >= 0 || stays_ || local < 0 || segment.counts_final ||
                local_blocks_.owned[usize(local)]);
  }
  void send(Index number) {
    const Outgoing& message = phase_.outgoing[usize(number)];
    EXPECT_TRUE(sent_.insert(number).second) << "a message was sent twice";
    network_.push_back({RankId(local_blocks_.rank), number, message.to,
                        phase_.segment[message.segment].supernode, message.kind});
  }
  void ready(Index t) { ready_.push_back(t); }

 private:
  void run_tasks() {
    while (!ready_.empty()) {
      const Index t = ready_.back();
      ready_.pop_back();
      run_task(t);
    }
  }
  void run_task(Index t) {
    const Task& task = phase_.task[usize(t)];
    for (Index i = task.row_block_begin; i < task.row_block_end; ++i) {
      EXPECT_TRUE(row_blocks_.insert(i).second) << "a row block was applied twice";
      if (task.diagonal) expect_read(phase_.row_block[usize(i)].at);
    }
    machine().task_ended(t);
  }
  // Products with diagonal blocks overwrite what panels are multiplied by.
  void expect_read(WorkRow row) const {
    for (const Task& task : phase_.task) {
      for (Index i = task.row_block_begin; i < task.row_block_end && !task.diagonal; ++i) {
        if (phase_.row_block[usize(i)].at == row) {
          EXPECT_TRUE(row_blocks_.contains(i)) << "overwritten before it was read";
        }
      }
    }
  }

  const SweepPhase& phase_;
  const LocalBlocks& local_blocks_;
  bool stays_;
  std::vector<Sent>& network_;
  SweepCounters<Index> counters_;
  std::vector<Index> ready_;  // tasks
  std::set<Index> row_blocks_;
  std::vector<Index> passed_on_;
  std::set<Index> sent_;      // by number
  std::set<Index> received_;  // by number
};

void expect_sweep_completes(const symbolic::Structure& s, const distribution::Mapping& mapping,
                            const SweepSpec& spec, std::uint64_t seed) {
  std::vector<LocalBlocks> blocks_by_rank;
  std::vector<SweepPhase> phases;
  for (Index r = 0; r < mapping.ranks(); ++r) {
    blocks_by_rank.push_back(distribution::make_local_blocks(s, mapping, r));
    phases.push_back(make_sweep(s, blocks_by_rank.back(),
                                sweep_trees(s, mapping, blocks_by_rank.back().layer, spec), spec));
  }
  std::vector<MessagePeers> peers;
  for (const SweepPhase& phase : phases) peers.push_back(peers_of(phase));
  const auto numbers = numbers_at_receivers(peers);
  std::vector<Sent> network;
  std::vector<Rank> ranks;
  for (std::size_t r = 0; r < blocks_by_rank.size(); ++r)
    ranks.emplace_back(phases[r], blocks_by_rank[r], spec.rows.has_value(), network);
  for (Rank& rank : ranks) rank.start();
  std::mt19937_64 random(seed);
  while (!network.empty()) {
    std::swap(network[random() % network.size()], network.back());
    const Sent m = network.back();
    network.pop_back();
    ranks[usize(m.to)].receive(m, numbers[usize(m.from)][usize(m.number)]);
  }
  for (const Rank& rank : ranks) rank.expect_finished();
  if (!spec.collectives) return;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const auto trees = sweep_trees(s, mapping, blocks_by_rank[r].layer, spec);
    std::vector<Index> calls;
    for (const Index k : ranks[r].passed_on())
      if (std::ranges::find(trees.in_turn, k) != trees.in_turn.end()) calls.push_back(k);
    EXPECT_TRUE(std::ranges::is_sorted(
        calls, {}, [&](Index k) { return spec.direction == Direction::scatter ? k : -k; }))
        << "rank " << r << " took part in a collective before its turn";
  }
}

TEST(Sweep, CompletesWhateverTheOrderOfMessages) {
  for (const Index n : {1, 3, 60, 250}) {
    const auto s = testing_support::random_structure(n, 3, usize(n));
    for (const distribution::ProcessGrid grid :
         {distribution::ProcessGrid{1, 1, 1}, {2, 3, 1}, {4, 1, 2}, {3, 3, 4}}) {
      for (const auto side : {distribution::Side::lower, distribution::Side::upper}) {
        for (const Direction direction : {Direction::scatter, Direction::gather}) {
          for (const Tree tree : {flat_tree, binary_tree, postal_tree, auto_tree}) {
            for (std::uint64_t seed = 0; seed < 3; ++seed) {
              expect_sweep_completes(s, *distribution::block_cyclic(s, grid), {side, direction, false, tree},
                                     seed);
            }
          }
        }
      }
    }
  }
}

// Tasks run here as soon as they are free, and against the order of the plan: nothing but the counters keeps
// the products with diagonal blocks behind the panels that read the same rows.
TEST(Sweep, DiagonalProductsWaitForAllThatReadsWhatTheyOverwrite) {
  const auto a = std::get<matrix::Csr<double>>(gallery::make_matrix("s2d9", {.n = 96}));
  const auto order = ordering::order(a, false, {.tree_levels = 3});
  const auto pattern = matrix::symmetrized(matrix::permuted(a.pattern, order.row_new, order.col_new));
  const auto s = *symbolic::analyze(pattern, order.tree, {}).structure;
  Index waiting = 0;
  const SweepSpec spec{.side = distribution::Side::lower,
                       .direction = Direction::scatter,
                       .tree = binary_tree,
                       .diagonal = {0, s.supernodes()}};
  for (const Index ranks : {2, 4, 7}) {
    const auto mapping = distribution::proportional(s, {ranks, 1, 1});
    for (Index r = 0; r < ranks; ++r) {
      const auto local_blocks = distribution::make_local_blocks(s, *mapping, r);
      const auto phase =
          make_sweep(s, local_blocks, sweep_trees(s, *mapping, local_blocks.layer, spec), spec);
      for (const Task& task : phase.task) waiting += task.diagonal && task.waits > 1;
    }
    for (std::uint64_t seed = 0; seed < 3; ++seed) expect_sweep_completes(s, *mapping, spec, seed);
  }
  EXPECT_GT(waiting, 0) << "no subtree has rows far outside";
}

// Blocking collectives: whatever the order of messages, no rank takes part in one before it is done with
// those before it, and those that have no part in a segment help to pass it on.
TEST(Sweep, CollectivesAreTakenInTurn) {
  for (const Index n : {3, 60, 250}) {
    const auto s = testing_support::random_structure(n, 3, usize(n));
    const Index last = s.supernodes(), first = last / 2;
    for (const distribution::ProcessGrid grid :
         {distribution::ProcessGrid{1, 1, 1}, {2, 3, 1}, {1, 4, 1}, {5, 4, 1}, {3, 3, 4}}) {
      for (const Direction direction : {Direction::scatter, Direction::gather}) {
        for (const SupernodeRange panels : {SupernodeRange{first, last}, {0, 0}}) {
          for (std::uint64_t seed = 0; seed < 3; ++seed) {
            expect_sweep_completes(s, *distribution::block_cyclic(s, grid),
                                   {.side = distribution::Side::lower,
                                    .direction = direction,
                                    .conjugate = false,
                                    .tree = binomial_tree,
                                    .panels = panels,
                                    .rows = SupernodeRange{first, last},
                                    .continues = direction == Direction::scatter,
                                    .collectives = true},
                                   seed);
          }
        }
      }
    }
  }
}

// What one rank has to itself needs no counting: it is a single task, however many trees there are.
TEST(Sweep, ARankThatIsAloneHasOneTask) {
  const auto a = std::get<matrix::Csr<double>>(gallery::make_matrix("block-diagonal", {.n = 30}));
  const auto order = ordering::order(a, false, {});
  const auto pattern = matrix::symmetrized(matrix::permuted(a.pattern, order.row_new, order.col_new));
  const auto s = *symbolic::analyze(pattern, order.tree, {.max_width = 4}).structure;
  ASSERT_EQ(std::ranges::count(s.parent, -1), 30);  // trees of three supernodes, 7 x 3, 4 x 3 and 0 x 4
  const auto mapping = distribution::block_cyclic(s, {1, 1, 1});
  const auto local_blocks = distribution::make_local_blocks(s, *mapping, 0);
  for (const Direction direction : {Direction::scatter, Direction::gather}) {
    const SweepSpec spec{distribution::Side::lower, direction, false, binary_tree};
    const auto trees = sweep_trees(s, *mapping, 0, spec);
    const auto phase = make_sweep(s, local_blocks, trees, spec);
    EXPECT_EQ(phase.task.size(), 1u);
    EXPECT_EQ(phase.feed.size(), 0u);
    EXPECT_EQ(phase.counted.size(), 0u);
    const auto ordered = make_sweep(s, local_blocks, trees, spec, {.ordered = true, .grain = 200});
    EXPECT_EQ(ordered.task.size(), 5u) << "a grain has the entries of six trees";
  }
}

// Of a rank that is alone the plan for one op comes of that for another, whatever the choices.
TEST(Sweep, PlansForOtherOpsAreTheSameMadeAnew) {
  const auto& mapping = distribution::find_mapping("block-cyclic");
  for (const int whole_levels : {0, 2}) {
    const auto structure = std::make_shared<const symbolic::Structure>(
        testing_support::random_structure(120, 2, 8, whole_levels));
    const auto owners = mapping.make(*structure, {1, 1, 1});
    const auto local_blocks = distribution::make_local_blocks(*structure, *owners, 0);
    const auto identity = [&] {
      ordering::Ordering o;
      for (Index i = 0; i < structure->n; ++i) {
        o.row_new.push_back(i);
        o.col_new.push_back((i + 7) % structure->n);
      }
      return o;
    }();
    const auto places = std::make_shared<const VectorPlaces>(
        vector_places(identity, distribution::even_partition(structure->n, 1)));
    for (const NamedSchedule& schedule : schedules()) {
      for (const bool ordered : {false, true}) {
        for (const bool upper_is_lower : {false, true}) {
          const auto specs = [&](Op op) {
            return describe(schedule.choice, *structure, *owners, 0,
                            {.op = op, .upper_is_lower = upper_is_lower, .vectors = places});
          };
          const Accumulation accumulation{.ordered = ordered, .grain = 40};
          const auto made = [&](Op op) {
            return make_plan(*structure, *owners, local_blocks, specs(op), accumulation);
          };
          for (const Op from : {Op::none, Op::transpose, Op::conjugate_transpose}) {
            for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
              EXPECT_EQ(
                  make_plan_like(made(from), *structure, *owners, local_blocks, specs(op), accumulation),
                  made(op))
                  << schedule.name << ordered << upper_is_lower;
            }
          }
        }
      }
    }
  }
}

struct SweepThroughPanels {
  SweepPhase phase;
  Index pieces;  // of its side
};
// Both ordered sweeps of one rank through the same panels.
std::vector<SweepThroughPanels> sweeps_through_panels(Offset grain) {
  const auto s = testing_support::random_structure(500, 0, 3);
  const auto mapping = distribution::block_cyclic(s, {1, 1, 1});
  const auto local_blocks = distribution::make_local_blocks(s, *mapping, 0);
  const auto plan = make_plan(s, *mapping, local_blocks, single_sync(s, *mapping, 0, {}),
                              {.ordered = true, .grain = grain});
  std::vector<SweepThroughPanels> sweeps;
  for (const Phase& phase : plan.phase) {
    const auto* sweep = std::get_if<SweepPhase>(&phase);
    if (sweep == nullptr || sweep->side == distribution::Side::diagonal) continue;
    sweeps.push_back({*sweep, local_blocks.side(sweep->side).pieces()});
  }
  return sweeps;
}

// Panels larger than a grain are cut for threads: no row block of an ordered sweep exceeds it, but for
// rounding up to whole slabs.
TEST(Sweep, LargePanelsAreCutForThreads) {
  constexpr Offset grain = 100;
  int cut = 0;
  for (const auto& [sweep, pieces] : sweeps_through_panels(grain)) {
    for (const RowBlock& row_block : sweep.row_block) {
      const Offset rows = row_block.row_end - row_block.row_begin;
      EXPECT_LE(rows * row_block.width, 2 * grain + slab_rows * row_block.width);
      cut += rows < row_block.height;
    }
  }
  EXPECT_GT(cut, 0) << "no panel is larger than a grain: nothing was tested";
}

// As the published GPU kernels have a thread block for each supernode.
TEST(Sweep, GrainOfSupernodesMakesATaskOfEachPanel) {
  const auto sweeps = sweeps_through_panels(grain_of_supernodes);
  EXPECT_EQ(sweeps.size(), 2);
  for (const auto& [sweep, pieces] : sweeps) {
    Index panels = 0;
    for (const Task& task : sweep.task) {
      if (task.diagonal) continue;  // of supernodes without a panel, and on no path
      ++panels;
      ASSERT_EQ(task.row_block_end - task.row_block_begin, 1);
      const RowBlock& row_block = sweep.row_block[usize(task.row_block_begin)];
      EXPECT_EQ(row_block.row_end - row_block.row_begin, row_block.height);
    }
    EXPECT_EQ(panels, pieces);
  }
}

}  // namespace
}  // namespace trisweep::plan
