#pragma once
// Which products of small panels are launched together, and what that costs besides the products: the studies
// of Yamazaki, Ida, Yokota, Dongarra (2019), V.

#include <span>
#include <string_view>
#include <vector>

#include "trisweep/device/gemv_plan.hpp"

namespace trisweep::studies {

// Fig. 7: as they come; by rows; or by rows in eights, and within each of these by columns.
enum class GemvOrder { as_they_come, rows, rows_in_eights };
// Fig. 8: so many in each; or those in a range of rows (Fig. 9: up to 8, 32, 64, 96, ...), so many at most.
enum class GemvCut { count, row_ranges };
// How panels of the same rows are added: by atomic operations, or row block by row block.
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
  bool merged = false;  // one persistent kernel: what follows has no meaning
  GemvOrder order = GemvOrder::rows_in_eights;
  GemvCut cut = GemvCut::row_ranges;
  Index count = 20000;  // of a batch, at most
  Index streams = 1;    // that batches of a type are dealt to
  bool padded = false;  // all panels of a batch as large as its largest, full precision
  GemvSum sum = GemvSum::atomic;
};

inline constexpr Index most_groups = 8;
inline constexpr Index rows_of_part = most_groups * slab_rows;

// Rows and columns of a panel.
struct PanelShape {
  Index rows = 0;
  Index cols = 0;
};

// One launch: panels gemv[begin, end), `parts` blocks of `groups` x 32 threads for each; or, of row blocks, a
// block for each.
struct GemvBatch {
  device::Range gemv;
  bool of_row_blocks = false;
  bool of_left = false;  // after all batches that are not
  Index parts = 1;
  Index groups = most_groups;
  Index stream = 0;
  PanelShape largest[2]{};  // of panels that are multiplied as they are, and transposed
};

struct LaunchPlan : device::GemvPlan {
  std::vector<GemvBatch> batch;          // none: the library's one kernel
  std::vector<std::byte> padded_panels;  // in place of the tasks'
  Index slack = 0;                       // numbers behind x and the sums that padded panels multiply by zero
  bool is_padded = false;
  bool is_merged = false;

  std::span<const std::byte> stored_panels() const { return is_padded ? padded_panels : panels; }
};

// Throws Error(usage) when panels cannot be padded, since row blocks are summed as they are.
LaunchPlan make_launch_plan(const device::GemvTasks& tasks, const GemvOptions& options);
// Makes the panels of a padded plan, of T: until then it can only be counted.
template <Scalar T>
void store_padded(LaunchPlan& plan);

// What each of several devices of a process does: batches of panels of V and of dense blocks in turn, and of
// U where the sums are (VI-A).
std::vector<device::GemvTasks> deal_to_devices(const device::GemvTasks& tasks, const GemvOptions& options,
                                               Index devices);

struct GemvCounts {
  Offset panels = 0;  // products with one
  Offset launches = 0;
  Offset blocks = 0;        // of threads, launched
  Offset idle_blocks = 0;   // that end at once
  Offset threads = 0;       // launched
  Offset idle_threads = 0;  // that have no row or column
  Offset numbers = 0;       // that are multiplied
  Offset padding = 0;       // of them

  GemvCounts& operator+=(const GemvCounts& other);
};
GemvCounts count_gemv(const LaunchPlan& plan);

}  // namespace trisweep::studies
