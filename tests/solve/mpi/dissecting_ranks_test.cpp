// All ranks dissect a graph as one would.

#include "trisweep/solve/dissecting_ranks.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "gallery/gallery.hpp"
#include "trisweep/core/error.hpp"
#include "trisweep/ordering/ordering.hpp"

namespace trisweep::solve {
namespace {

using ordering::Method;
using ordering::Ordering;

// On rank 0, where the values are gone by the time that the ranks dissect; elsewhere none.
Ordering order_by_all(const mpi::Communicator& comm, matrix::Csr<double> a,
                      ordering::OrderingOptions options) {
  return mpi::agree_on_error(comm, [&] {
    if (comm.rank() != 0) {
      help_to_dissect(comm);
      return Ordering{};
    }
    DissectingRanks others(comm, [&] { std::vector<double>().swap(a.value); });
    options.helpers = &others;
    Ordering order = ordering::order(a, false, options);
    EXPECT_TRUE(a.value.empty());
    return order;
  });
}

TEST(DissectingRanks, MakeTheOrderOfOneRank) {
  const mpi::Communicator comm(MPI_COMM_WORLD);
  for (const auto& [kind, n] : std::vector<std::pair<std::string, int>>{{"s2d9", 100},
                                                                        {"poisson3d", 22},
                                                                        {"elasticity3d", 9},
                                                                        {"arrow", 3000},
                                                                        {"block-diagonal", 2000}}) {
    const auto a = std::get<matrix::Csr<double>>(gallery::make_matrix(kind, {.n = n}));
    for (const Method method : {Method::automatic, Method::metis, Method::amd}) {
      const ordering::OrderingOptions options{.method = method, .needed_levels = 4};
      const Ordering shared = order_by_all(comm, a, options);
      if (comm.rank() > 0) continue;
      const Ordering alone = ordering::order(a, false, options);
      EXPECT_EQ(shared.col_new, alone.col_new) << kind;
      EXPECT_EQ(shared.tree.begin, alone.tree.begin) << kind;
      EXPECT_EQ(shared.tree.end, alone.tree.end) << kind;
    }
  }
}

class Counting final : public ordering::Helpers {
 public:
  explicit Counting(ordering::Helpers& others) : others_(others) {}
  std::unique_ptr<Answer> give(const ordering::Subdomain& domain) override {
    auto answer = others_.give(domain);
    given += answer != nullptr;
    return answer;
  }
  int given = 0;

 private:
  ordering::Helpers& others_;
};

// Half of the ranks with the first separator, half of the rest with the next, ...
TEST(DissectingRanks, TakeHalfOfWhatIsThere) {
  const mpi::Communicator comm(MPI_COMM_WORLD);
  const auto a = std::get<matrix::Csr<double>>(gallery::make_matrix("s2d9", {.n = 150}));
  mpi::agree_on_error(comm, [&] {
    if (comm.rank() != 0) return help_to_dissect(comm);
    DissectingRanks others(comm);
    Counting counting(others);
    ordering::order(a, false, {.needed_levels = 4, .helpers = &counting});
    EXPECT_EQ(counting.given, ordering::levels_to_parts(comm.size()));
  });
}

// Others end as well, with the same error, where rank 0 has nothing to dissect after all.
TEST(DissectingRanks, AreLetGoWhenRank0Fails) {
  const mpi::Communicator comm(MPI_COMM_WORLD);
  matrix::Csr<double> a = std::get<matrix::Csr<double>>(gallery::make_matrix("s2d9", {.n = 60}));
  for (double& v : a.value) v = 0;
  try {
    order_by_all(comm, a, {.needed_levels = 4});
    FAIL() << "a matrix of zeros was ordered";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("structurally singular"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace trisweep::solve
