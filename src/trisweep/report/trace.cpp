#include "trisweep/report/trace.hpp"

#include <fmt/format.h>

#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "trisweep/plan/plan.hpp"

namespace trisweep::report {
namespace {

using engine::TraceEvent;
using engine::TraceKind;

constexpr std::array<const char*, engine::trace_kinds> names{"forward sweep",
                                                             "backward sweep",
                                                             "exchange between layers",
                                                             "diagonal blocks",
                                                             "vectors",
                                                             "products",
                                                             "idle",
                                                             "all-gather",
                                                             "send",
                                                             "receive"};

bool is_message(const TraceEvent& e) {
  return e.kind == TraceKind::send || e.kind == TraceKind::receive;
}

// Sends and receives of the same sender, receiver, supernode and kind belong together in the order in which
// they happen, because phases follow each other on every rank, and so do the steps of an exchange.
class Arrows {
 public:
  std::string name(Index rank, const TraceEvent& e) {
    const bool sends = e.kind == TraceKind::send;
    const Index from = sends ? rank : e.peer, to = sends ? e.peer : rank;
    const int count = seen_[{from, to, e.subject, e.message, sends}]++;
    return fmt::format("{}-{}-{}{}-{}", from, to, plan::name_of(e.message), e.subject, count);
  }

 private:
  std::map<std::tuple<Index, Index, Index, plan::MessageKind, bool>, int> seen_;
};

class Writer {
 public:
  void name(Index rank, const std::string& label) {
    add(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":"{}"}}}})", rank, label);
  }

  void event(Index rank, const TraceEvent& e) {
    const double begin = e.begin * 1e6, length = (e.end - e.begin) * 1e6;
    std::string details;
    if (e.subject >= 0) details = fmt::format(R"("supernode":{})", e.subject);
    if (is_message(e)) {
      details += fmt::format(R"({}"kind":"{}","rank":{},"bytes":{})", details.empty() ? "" : ",",
                             plan::name_of(e.message), e.peer, e.bytes);
    }
    add(R"({{"ph":"X","name":"{}","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f},"args":{{{}}}}})",
        names[usize(static_cast<int>(e.kind))], rank, e.thread, begin, length, details);
    if (!is_message(e)) return;
    const bool sends = e.kind == TraceKind::send;
    add(R"({{"ph":"{}","name":"message","cat":"message","id":"{}","pid":{},"tid":{},"ts":{:.3f}{}}})",
        sends ? "s" : "f", arrows_.name(rank, e), rank, e.thread, begin + length / 2,
        sends ? "" : R"(,"bp":"e")");
  }

  std::string finish() && { return text_ + "\n],\"displayTimeUnit\":\"ms\"}\n"; }

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    text_ += std::exchange(first_, false) ? "\n" : ",\n";
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }

  std::string text_ = "{\"traceEvents\":[";
  bool first_ = true;
  Arrows arrows_;
};

}  // namespace

std::string to_chrome_trace(const RankEvents& events, const std::vector<std::string>& rank_names) {
  Writer writer;
  for (std::size_t rank = 0; rank < events.size(); ++rank) {
    writer.name(static_cast<Index>(rank), rank_names[rank]);
    for (const TraceEvent& e : events[rank]) writer.event(static_cast<Index>(rank), e);
  }
  return std::move(writer).finish();
}

std::string to_traffic_csv(const RankEvents& events) {
  struct Sum {
    Offset messages = 0;
    Offset bytes = 0;
  };
  std::map<std::tuple<Index, Index, plan::MessageKind>, Sum> sums;
  for (std::size_t rank = 0; rank < events.size(); ++rank) {
    for (const TraceEvent& e : events[rank]) {
      if (e.kind != TraceKind::send) continue;
      Sum& sum = sums[{static_cast<Index>(rank), e.peer, e.message}];
      ++sum.messages;
      sum.bytes += e.bytes;
    }
  }
  std::string text = "from,to,kind,messages,bytes\n";
  for (const auto& [key, sum] : sums) {
    const auto& [from, to, kind] = key;
    text += fmt::format("{},{},{},{},{}\n", from, to, plan::name_of(kind), sum.messages, sum.bytes);
  }
  return text;
}

}  // namespace trisweep::report
