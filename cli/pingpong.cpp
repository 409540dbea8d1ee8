// trisweep pingpong: measures the cost of a message between two ranks, by transport and size.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "command.hpp"
#include "outputs.hpp"
#include "trisweep/measure/ping_pong.hpp"
#include "trisweep/report/run_record.hpp"
#include "trisweep/version.hpp"

namespace trisweep::cli {
namespace {

using measure::PingPong;

struct PingPongCommand {
  std::string json;
  std::size_t largest_bytes = 1 << 20;
  Index peer = 1;

  int operator()(const Context& context) const {
    std::optional<OutputFile> file;
    mpi::agree_on_error(context.world, [&] {
      if (context.is_root()) file = open_output(json);
    });
    const auto results = measure::ping_pong(context.world, peer, largest_bytes);
    mpi::agree_on_error(context.world, [&] {
      if (!file) return;
      file->write(record(results));
      file->commit();
    });
    context.terminal.print_beside({json}, table(results));
    return 0;
  }

  static std::string record(const std::vector<PingPong>& results) {
    const report::MachineRecord machine = report::this_machine();
    nlohmann::ordered_json root{{"version", version()}, {"mpi", machine.mpi}, {"host", machine.host}};
    for (const PingPong& result : results) {
      if (!result.obstacle.empty()) {
        root["missing"].push_back({{"name", result.name}, {"reason", result.obstacle}});
        continue;
      }
      nlohmann::ordered_json samples;
      for (const auto& s : result.samples) {
        samples.push_back({{"bytes", s.bytes},
                           {"seconds_median", s.seconds_median},
                           {"seconds_min", s.seconds_min},
                           {"seconds_max", s.seconds_max}});
      }
      root["transports"].push_back({{"name", result.name}, {"samples", samples}});
    }
    return root.dump(2) + "\n";
  }

  static std::string table(const std::vector<PingPong>& results) {
    std::vector<const PingPong*> columns;
    std::string missing;
    for (const PingPong& result : results) {
      if (result.obstacle.empty()) {
        columns.push_back(&result);
      } else {
        missing += fmt::format("not measured: {}: {}\n", result.name, result.obstacle);
      }
    }
    std::string text = fmt::format("{:>10}", "bytes");
    for (const PingPong* column : columns) text += fmt::format(" {:>14}", column->name);
    text += "   (median one-way time, us)\n";
    for (std::size_t i = 0; i < columns.front()->samples.size(); ++i) {
      text += fmt::format("{:>10}", columns.front()->samples[i].bytes);
      for (const PingPong* column : columns)
        text += fmt::format(" {:>14.3f}", column->samples[i].seconds_median * 1e6);
      text += "\n";
    }
    return text + missing;
  }
};

}  // namespace

void add_pingpong(CLI::App& app, Run& run) {
  auto command = std::make_shared<PingPongCommand>();
  CLI::App* sub = app.add_subcommand(
      "pingpong", "Measure message latency and bandwidth between rank 0 and another, by transport and size");
  sub->add_option("--largest", command->largest_bytes, "Largest message size in bytes")
      ->check(CLI::Range(8, 1 << 28))
      ->capture_default_str();
  sub->add_option("--peer", command->peer, "Rank that exchanges messages with rank 0")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  sub->add_option("--json", command->json, "Write the results to this file");
  sub->callback([command, &run] { run = *command; });
}

}  // namespace trisweep::cli
