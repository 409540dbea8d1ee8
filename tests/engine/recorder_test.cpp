#include "trisweep/engine/recorder.hpp"

#include <gtest/gtest.h>

namespace trisweep::engine {
namespace {

TraceEvent event(TraceKind kind, Index thread, double begin, double end) {
  return {kind, thread, -1, -1, {}, 0, begin, end};
}

TEST(Recorder, ListsTheEventsOfAllThreadsInOrderOfTime) {
  Recorder recorder(2);
  recorder.record(event(TraceKind::products, 0, 2, 3));
  recorder.record(event(TraceKind::idle, 1, 1, 5));
  recorder.record(event(TraceKind::send, 0, 4, 6));
  std::vector<double> begins;
  for (const TraceEvent& e : recorder.all()) begins.push_back(e.begin);
  EXPECT_EQ(begins, (std::vector<double>{1, 2, 4}));
  recorder.start();
  EXPECT_TRUE(recorder.all().empty());
}

TEST(Recorder, AddsUpWhatEndedSinceThen) {
  Recorder recorder(2);
  recorder.record(event(TraceKind::products, 0, 0, 1));
  recorder.record(event(TraceKind::products, 0, 2, 4));
  recorder.record(event(TraceKind::idle, 0, 4, 8));
  recorder.record(event(TraceKind::products, 1, 1, 9));
  EXPECT_EQ(recorder.total(TraceKind::products), 11);
  EXPECT_EQ(recorder.total(TraceKind::products, 3), 10);
  EXPECT_EQ(recorder.total(TraceKind::idle, 3), 4);
  EXPECT_EQ(recorder.total(TraceKind::send), 0);
}

TEST(Span, IsAnEventFromItsBeginToItsEnd) {
  Recorder recorder(3);
  const double before = recorder.now();
  {
    const Span outer(&recorder, TraceKind::l_sweep, 0);
    const Span inner(&recorder, TraceKind::products, 2, 7);
  }
  const Span nowhere(nullptr, TraceKind::send, 1);
  const auto all = recorder.all();
  ASSERT_EQ(all.size(), 2);
  EXPECT_EQ(all[0].kind, TraceKind::l_sweep);
  EXPECT_EQ(all[1].thread, 2);
  EXPECT_EQ(all[1].subject, 7);
  EXPECT_LE(before, all[0].begin);
  EXPECT_LE(all[0].begin, all[1].begin);
  EXPECT_LE(all[1].begin, all[1].end);
  EXPECT_LE(all[1].end, all[0].end);
}

}  // namespace
}  // namespace trisweep::engine
