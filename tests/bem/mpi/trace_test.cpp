// What is recorded of products: whether all-gathers pass while something else is done.

#include <gtest/gtest.h>

#include <algorithm>

#include "apps/bem/electrostatics.hpp"

namespace trisweep::bem {
namespace {

using engine::TraceEvent;
using engine::TraceKind;

std::vector<TraceEvent> trace_of(krylov::Overlap overlap) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  ThreadPool pool(1);
  engine::Recorder recorder(pool.size() + 1);
  const ChargeOptions options{.matrix = {.compression = {.eps = 1e-4}},
                              .recorder = &recorder,
                              .method = "pipelined-bicgstab",
                              .solver = {.tolerance = 1e-6, .overlap = overlap},
                              .products = 1};
  solve_charge({world, pool}, make_object("spheres", {.triangles = 600}), options);
  return recorder.all();
}
std::vector<TraceEvent> of_kind(std::vector<TraceEvent> events, TraceKind kind) {
  std::erase_if(events, [&](const TraceEvent& e) { return e.kind != kind; });
  return events;
}

TEST(Trace, AllGathersPassWhileVectorsAreUpdatedWithPipe2Alone) {
  const auto events = trace_of(krylov::Overlap::gathers);
  const auto updates = of_kind(events, TraceKind::vectors), gathers = of_kind(events, TraceKind::gather);
  EXPECT_GT(updates.size(), 10u);
  for (const TraceEvent& update : updates) {
    EXPECT_TRUE(std::ranges::any_of(gathers, [&](const TraceEvent& gather) {
      return gather.thread != update.thread && gather.begin <= update.begin && gather.end > update.begin;
    }));
  }
  const auto products = of_kind(events, TraceKind::products);
  EXPECT_EQ(products.size(), gathers.size());
  for (std::size_t i = 0; i < products.size(); ++i) EXPECT_GE(products[i].begin, gathers[i].end);
  for (const auto overlap : {krylov::Overlap::none, krylov::Overlap::sums})
    EXPECT_TRUE(of_kind(trace_of(overlap), TraceKind::vectors).empty());
}

}  // namespace
}  // namespace trisweep::bem
