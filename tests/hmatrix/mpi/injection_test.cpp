// First products in which something fails on one rank: all ranks get the error, and the next product is made,
// or refused, on all ranks alike.

#include "support/injection.hpp"

#include <gtest/gtest.h>

#include "apps/bem/spheres.hpp"
#include "trisweep/hmatrix/hmatrix.hpp"
#include "trisweep/hmatrix/point_kernel.hpp"

namespace trisweep::hmatrix {
namespace {

using testing_support::agreements;
using testing_support::allocations;
using testing_support::Countdown;
using testing_support::few;
using testing_support::Outcome;
using testing_support::run;
using testing_support::transfers;
using testing_support::world_size;

struct Falling {
  double operator()(const Point& a, const Point& b) const { return 1 / length(a - b); }
};

TEST(HMatrixInjection, AFirstProductThatFailedIsMadeAgain) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "allocations fail in builds without sanitizers only";
#endif
  const auto points = centroids(bem::sphere_mesh({4, 7}, 1, {0, 0, 0}));
  const PointKernel<double, Falling> kernel{points, Falling{}, 20.0};
  const Index nrhs = 2;
  int refused = 0, made = 0;
  const auto fail = [&](Countdown& which, Index failing, Op op, int events) {
    const mpi::Communicator comm(MPI_COMM_WORLD);
    ThreadPool pool(1);
    HMatrix<double> h({comm, pool}, kernel, make_cluster_tree(points, 12),
                      {.blocks = {.eta = 2, .least_side = 12}, .block_rows = 20});
    const Index rows = h.local_rows();
    std::vector<double> x(usize(rows) * usize(nrhs), 1.0), y(x.size()), again(x.size());
    const auto multiply = [&](std::vector<double>& into) {
      h.apply(op, Vectors<const double>(x.data(), rows, nrhs), Vectors<double>(into.data(), rows, nrhs));
      mpi::agree_on_error(h.comm(),
                          [] {});  // a rank that comes here while another has failed throws that error
    };
    const Outcome first = run(which, failing, events, [&](Index) { multiply(y); });
    EXPECT_TRUE(first.thrown == 0 || first.thrown == world_size()) << events;
    const Outcome second = run(which, -1, 0, [&](Index) { multiply(again); });
    EXPECT_TRUE(second.thrown == 0 || second.thrown == world_size()) << events;
    second.thrown == 0 ? ++made : ++refused;
    if (second.thrown == 0) {
      multiply(y);
      EXPECT_EQ(again, y);
    }
    return first.fired != 0;
  };
  for (Countdown* const which : {&allocations, &agreements, &transfers}) {
    if (which != &allocations && world_size() == 1) continue;
    for (const Index failing : {Index{0}, world_size() - 1}) {
      for (const Op op : {Op::none, Op::transpose})
        for (int events = 0; fail(*which, failing, op, events); events += 1 + events / few) continue;
    }
  }
  EXPECT_GT(made, 4) << refused << " were refused";
}

}  // namespace
}  // namespace trisweep::hmatrix
