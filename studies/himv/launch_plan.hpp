#pragma once
// Which products of small panels are launched together, and what that costs in addition to the products: the
// studies of Yamazaki, Ida, Yokota, Dongarra (2019), V.

#include <span>
#include <string_view>
#include <vector>

#include "trisweep/device/gemv_plan.hpp"

namespace trisweep::studies {

// Fig. 7: unsorted; sorted by rows; or by rows rounded up to multiples of eight, and then by columns.
enum class GemvOrder { as_they_come, rows, rows_in_eights };
// Fig. 8: a fixed number of panels in each batch; or those in a range of rows (Fig. 9: up to 8, 32, 64, 96,
// ...), with a largest number.
enum class GemvCut { count, row_ranges };
// How products of panels with the same rows are added: by atomic operations, or row block by row block.
enum class GemvSum { atomic, row_blocks };

template <class Choice>
struct NamedGemvChoice {
  std::string_view name;
  Choice choice;
};
std::span<const NamedGemvChoice<GemvOrder>> gemv_orders();
std::span<const NamedGemvChoice<GemvCut>> gemv_cuts();
std::span<const NamedGemvChoice<GemvSum>> gemv_sums();

struct GemvOptions {
  bool merged = false;  // one persistent kernel: the other options are ignored
  GemvOrder order = GemvOrder::rows_in_eights;
  GemvCut cut = GemvCut::row_ranges;
  Index count = 20000;  // largest number of panels in a batch
  Index streams = 1;    // over which batches of a type are distributed
  bool padded = false;  // all panels of a batch are padded to the largest, in full precision
  GemvSum sum = GemvSum::atomic;
};

inline constexpr Index most_groups = 8;
inline constexpr Index rows_of_part = most_groups * slab_rows;

// Rows and columns of a panel.
struct PanelShape {
  Index rows = 0;
  Index cols = 0;
};

// One launch: for panels gemv[begin, end), `parts` blocks of `groups` x 32 threads each; for row blocks, one
// block each.
struct GemvBatch {
  device::Range gemv;
  bool of_row_blocks = false;
  bool of_left = false;  // runs after all batches for which this is false
  Index parts = 1;
  Index groups = most_groups;
  Index stream = 0;
  PanelShape largest[2]{};  // of panels that are multiplied untransposed, and transposed
};

struct LaunchPlan : device::GemvPlan {
  std::vector<GemvBatch> batch;          // empty: the library's single kernel
  std::vector<std::byte> padded_panels;  // in place of the tasks'
  Index slack = 0;                       // values behind x and the sums, which padded panels multiply by zero
  bool is_padded = false;
  bool is_merged = false;

  std::span<const std::byte> stored_panels() const { return is_padded ? padded_panels : panels; }
};

// Throws Error(usage) if panels are to be padded but summed by row blocks, which use panels as they are.
LaunchPlan make_launch_plan(const device::GemvTasks& tasks, const GemvOptions& options);
// Makes the panels of a padded plan, of type T. Before that its costs can be counted, but it cannot be run.
template <Scalar T>
void store_padded(LaunchPlan& plan);

// Distributes the products of a process over its devices: batches of panels of V and of dense blocks in turn,
// and each panel of U to the device that has its sums (VI-A).
std::vector<device::GemvTasks> deal_to_devices(const device::GemvTasks& tasks, const GemvOptions& options,
                                               Index devices);

struct GemvCounts {
  Offset panels = 0;  // products with panels
  Offset launches = 0;
  Offset blocks = 0;        // blocks of threads that are launched
  Offset idle_blocks = 0;   // blocks that end at once
  Offset threads = 0;       // threads that are launched
  Offset idle_threads = 0;  // threads without a row or column
  Offset numbers = 0;       // values that are multiplied
  Offset padding = 0;       // padding among these

  GemvCounts& operator+=(const GemvCounts& other);
};
GemvCounts count_gemv(const LaunchPlan& plan);

}  // namespace trisweep::studies
