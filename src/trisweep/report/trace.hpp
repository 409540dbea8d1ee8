#pragma once
// The trace of a recorded solve, as a picture for people and a table for programs.

#include <string>
#include <vector>

#include "trisweep/engine/recorder.hpp"

namespace trisweep::report {

// By rank, in order of time.
using RankEvents = std::vector<std::vector<engine::TraceEvent>>;

// Chrome's trace event format, which ui.perfetto.dev and chrome://tracing open: a process per rank, a row per
// thread, an arrow per message. `rank_names` label the processes.
std::string to_chrome_trace(const RankEvents& events, const std::vector<std::string>& rank_names);

// The messages of a solve, summed by sender, receiver and kind: lines of "from,to,kind,messages,bytes" below
// that heading.
std::string to_traffic_csv(const RankEvents& events);

}  // namespace trisweep::report
