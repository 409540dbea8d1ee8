// Workers of PEs by the memory model of C++ (support/memory_model.hpp): two PEs of two workers, whose solves
// follow one another without a barrier between the PEs. Tickets, counters, signals of messages, and the room
// for those of the next solve are what orders plain reads and writes of the work rows.

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <memory>
#include <mutex>

#include "device/one_way.hpp"
#include "device/virtual_pes.hpp"
#include "support/memory_model.hpp"
#include "support/structure.hpp"
#include "trisweep/plan/variants.hpp"

namespace trisweep::testing_support::model {

// backend/emulated/machine.hpp of a run.
template <backend::Scope scope, class C>
C load_acquire(Atomic<C>* at) {
  return at->load(std::memory_order_acquire);
}
template <backend::Scope scope, class C>
C load_relaxed(Atomic<C>* at) {
  return at->load(std::memory_order_relaxed);
}
template <backend::Scope scope, class C>
void store_release(Atomic<C>* at, std::type_identity_t<C> value) {
  at->store(value, std::memory_order_release);
}
template <backend::Scope scope, class C>
C add_release(Atomic<C>* at, std::type_identity_t<C> value) {
  return at->fetch_add(value, std::memory_order_release);
}
// What is fenced releases by itself, as there.
template <backend::Scope scope, class C>
void store_fenced(Atomic<C>* at, std::type_identity_t<C> value) {
  store_release<scope>(at, value);
}
template <backend::Scope scope, class C>
C add_fenced(Atomic<C>* at, std::type_identity_t<C> value) {
  return add_release<scope>(at, value);
}
template <backend::Scope scope, class C>
C add_relaxed(Atomic<C>* at, std::type_identity_t<C> value) {
  return at->fetch_add(value, std::memory_order_relaxed);
}

// A number of a work row.
class Number {
 public:
  Number(double value = 0) : value_(value) {}
  Number(const Number& other) : value_(other.get()) {}
  Number& operator=(const Number& other) {
    value_ = other.get();
    return *this;
  }
  double get() const { return value_; }
  Number& operator+=(const Number& other) { return *this = get() + other.get(); }
  Number& operator-=(const Number& other) { return *this = get() - other.get(); }
  Number operator-() const { return -get(); }
  friend Number operator*(const Number& a, const Number& b) { return a.get() * b.get(); }
  friend bool operator>(const Number& a, const Number& b) { return a.get() > b.get(); }

 private:
  Plain<double> value_;
};

struct Block : backend::HostBlock {
  void idle() const { Execution::current()->step(); }
};

}  // namespace trisweep::testing_support::model

namespace trisweep::device::orders {
namespace {

namespace model = testing_support::model;
using model::Number;
using testing_support::MadeUpFactors;
using testing_support::OneWay;
using testing_support::Programs;
using Word = model::Atomic<Count>;
using Peers = DirectPeers<Number, Word>;
constexpr int workers = 2;
constexpr Count solves = 3;

// What a PE's workers share.
class ModelPe {
 public:
  explicit ModelPe(const Program& program, std::vector<std::vector<double>> panels = {{}, {}, {}})
      : program_(program),
        panel_(std::move(panels)),
        row_(usize(program.rows)),
        scratch_(usize(program.scratch) * workers),
        signal_(std::make_unique<Word[]>(usize(program.signals(2)))),
        counter_(std::make_unique<Word[]>(usize(program.counters))),
        time_(program.part.size() + 1) {}

  PeMemory<Number, Word> memory() {
    return {.row = row_.data(), .signal = signal_.get(), .control = &control_, .number = 0};
  }
  std::vector<Number>& rows() { return row_; }

  void work(const PeMemory<Number, Word>* all, Count number, int worker) {
    const Pe<const double*, Number, Peers> pe{
        .program = view_of(program_,
                           []<class A>(const std::vector<A>& list) {
                             return ArrayView<A>{list.data(), static_cast<Index>(list.size())};
                           }),
        .panels = {panel_[0].data(), panel_[1].data(), panel_[2].data()},
        .peers = {all, 2, program_.pe},
        .messages = program_.messages(),
        .counter = counter_.get(),
        .time = time_.data(),
        .phases = static_cast<Index>(program_.part.size()),
        .work = {.row = row_.data(),
                 .position = program_.position.data(),
                 .scratch = scratch_.data() + worker * program_.scratch,
                 .nrhs = 1},
        .scratch_size = usize(program_.scratch),
        .measured = {},
        .solve = {
            .nrhs = 1, .number = number, .end = all_items, .ended = (number - 1) * workers, .watchdog = 0}};
    Worker<const double*, Number, Peers, 1, model::Block>(pe, model::Block()).run();
    join();
  }
  // Behind it is all that the PE's workers have done before: where a launch begins, and where it ends. Other
  // PEs are not waited for.
  void join() {
    std::unique_lock lock(mutex_);
    const Count all = (joined_ / workers + 1) * workers;
    if (++joined_ == all) all_joined_.notify_all();
    all_joined_.wait(lock, [&] { return joined_ >= all; });
  }

 private:
  const Program& program_;
  std::vector<std::vector<double>> panel_;  // by side
  std::vector<Number> row_, scratch_;
  std::unique_ptr<Word[]> signal_, counter_;
  ControlWords<Word> control_;
  std::vector<Count> time_;
  model::Mutex mutex_;
  model::Condition all_joined_;
  Count joined_ = 0;
};

// Each solution is the next right-hand side.
struct System {
  explicit System(const distribution::ProcessGrid& grid, const testing_support::Variant& variant = {})
      : programs(structure, grid, variant, Op::none, false) {
    for (Count solve = 0; solve < solves; ++solve) x = factors.solve(Op::none, x);
  }

  symbolic::Structure structure = testing_support::random_structure(9, 1);
  Programs programs;
  MadeUpFactors<double> factors{structure, false};
  const std::vector<double> b = testing_support::random_vector<double>(9, 3);
  std::vector<double> x = b;

  // Calls visit(row of the vector, PE, its work row) for all rows at home.
  template <class Visit>
  void at_home(const Visit& visit) const {
    for (std::size_t p = 0; p < programs.plans.size(); ++p) {
      const distribution::LocalBlocks& local_blocks = programs.plans[p].local_blocks;
      for (Index s = 0; s < local_blocks.segments(); ++s) {
        const Index k = local_blocks.segment[usize(s)];
        if (programs.distribution.mapping->home(k) != local_blocks.rank) continue;
        for (Index i = 0; i < local_blocks.width(s); ++i)
          visit(usize(programs.distribution.structure->first[usize(k)] + i), p,
                usize(local_blocks.slot[usize(s)] + i));
      }
    }
  }
};

struct SystemRun {
  explicit SystemRun(const System& system) : of(system) {
    for (std::size_t p = 0; p < 2; ++p) {
      std::vector<std::vector<double>> panels;
      for (const auto side : distribution::sides)
        panels.push_back(of.factors.stored(of.programs.plans[p].local_blocks, side));
      pe.emplace_back(of.programs.programs[p], std::move(panels));
    }
    for (ModelPe& each : pe) memory.push_back(each.memory());
    of.at_home([&](std::size_t row, std::size_t p, std::size_t work) { pe[p].rows()[work] = of.b[row]; });
  }

  void work(std::size_t thread) {
    const std::size_t mine = thread / workers;
    for (Count number = 1; number <= solves; ++number)
      pe[mine].work(memory.data(), number, static_cast<int>(thread % workers));
    of.at_home([&](std::size_t row, std::size_t p, std::size_t work) {
      if (p == mine && std::abs(pe[p].rows()[work].get() - of.x[row]) > 1e-12)
        model::Execution::current()->fail("a solution is wrong");
    });
  }

  const System& of;
  std::deque<ModelPe> pe;
  std::vector<PeMemory<Number, Word>> memory;
};

template <class Run, class System>
std::string first_defect(const System& system) {
  return model::first_defect(300, [&] {
    const auto run = std::make_shared<Run>(system);
    std::vector<std::function<void()>> threads;
    for (std::size_t thread = 0; thread < 2 * workers; ++thread)
      threads.emplace_back([run, thread] { run->work(thread); });
    return threads;
  });
}

TEST(WorkerOrders, SufficeWithinALayer) {
  for (const distribution::ProcessGrid& grid : {distribution::ProcessGrid{2, 1, 1}, {1, 2, 1}})
    EXPECT_EQ(first_defect<SystemRun>(System(grid)), "");
}

TEST(WorkerOrders, SufficeBetweenLayers) {
  for (const auto& schedule : plan::schedules())
    EXPECT_EQ(first_defect<SystemRun>(System({1, 1, 2}, {.name = "", .schedule = schedule.choice})), "")
        << schedule.name;
}

// Nothing but the room for the next row holds up who sends it.
struct OneWayRun {
  explicit OneWayRun(const OneWay& of) {
    pe.emplace_back(of.sender);
    pe.emplace_back(of.receiver);
    for (ModelPe& each : pe) memory.push_back(each.memory());
  }
  void work(std::size_t thread) {
    const std::size_t mine = thread / workers;
    for (Count number = 1; number <= solves; ++number) {
      const bool leads = thread % workers == 0;
      if (mine == 0 && leads) pe[0].rows()[0] = double(number);
      pe[mine].join();
      pe[mine].work(memory.data(), number, static_cast<int>(thread % workers));
      if (mine == 1 && leads && pe[1].rows()[0].get() != double(number))
        model::Execution::current()->fail("a row is not that of its solve");
    }
  }

  std::deque<ModelPe> pe;
  std::vector<PeMemory<Number, Word>> memory;
};

TEST(WorkerOrders, ARowIsNotWrittenBeforeThatOfTheSolveBeforeIsRead) {
  EXPECT_EQ(first_defect<OneWayRun>(OneWay()), "");
}

}  // namespace
}  // namespace trisweep::device::orders
