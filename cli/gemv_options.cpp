#include "gemv_options.hpp"

#include <array>

#include "refuse.hpp"
#include "trisweep/core/named.hpp"

namespace trisweep::cli {
namespace {

// The names of kernels; true: the products of all panels are merged in one launch.
constexpr std::array<studies::NamedGemvChoice<bool>, 2> kernels{{{"merged", true}, {"batched", false}}};

// Adds an option whose values are the names in a table.
template <class Row, class Value>
void add_named(CLI::App& sub, const std::string& option, std::span<const Row> table, Value Row::*of_row,
               Value& value, const std::string& description) {
  sub.add_option_function<std::string>(
         option, [=, &value](const std::string& name) { value = find_named(table, option, name).*of_row; },
         description)
      ->check(CLI::IsMember(names_of(table)));
}

}  // namespace

void add_gemv_options(CLI::App& sub, studies::GemvOptions& gemv) {
  using namespace studies;
  add_named(
      sub, "--kernel", std::span<const NamedGemvChoice<bool>>(kernels), &NamedGemvChoice<bool>::choice,
      gemv.merged,
      "merged: one persistent kernel (default); batched: batched GEMV launches, with the options below");
  add_named(sub, "--order", gemv_orders(), &NamedGemvChoice<GemvOrder>::choice, gemv.order,
            "Order of the panels before batching (default rows-in-eights)");
  add_named(sub, "--cut", gemv_cuts(), &NamedGemvChoice<GemvCut>::choice, gemv.cut,
            "Batches of --batch panels (count), or of at most as many within a range of rows (row-ranges, "
            "default)");
  sub.add_option("--batch", gemv.count, "Maximum number of panels in a batch")
      ->check(CLI::Range(1, 1 << 30))
      ->capture_default_str();
  sub.add_option("--streams", gemv.streams, "Number of streams that batches are distributed over")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  sub.add_flag("--padded", gemv.padded, "Pad the panels of a batch to the largest");
  add_named(sub, "--sums", gemv_sums(), &NamedGemvChoice<GemvSum>::choice, gemv.sum,
            "Sums over panels that share rows: atomic operations (default), or one row block after another");
}

void check_gemv_options(const CLI::App& sub, const studies::GemvOptions& gemv) {
  if (gemv.merged)
    refuse(sub, {"--order", "--cut", "--batch", "--streams", "--sums"}, "--kernel merged",
           "use --kernel batched");
}

void add_gpu_options(CLI::App& sub, Index& gpus, studies::Way& way) {
  sub.add_option("--gpus", gpus, "GPUs per process; missing ones are emulated")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  add_named(sub, "--way", studies::ways(), &studies::NamedWay::way, way,
            "Transfers between GPUs of a process: through host memory (set), over the bus (copy), or over "
            "direct links (peer, default)");
}

}  // namespace trisweep::cli
