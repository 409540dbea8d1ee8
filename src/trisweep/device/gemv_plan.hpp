#pragma once
// Which products of small panels are launched together, and what that costs besides the products: the studies
// of Yamazaki, Ida, Yokota, Dongarra (2019), V.

#include <span>
#include <string_view>
#include <vector>

#include "trisweep/device/gemv.hpp"

namespace trisweep::device {

// All products of a process, before they are cut into batches.
struct GemvTasks {
  std::span<const std::byte> panels;
  std::vector<Gemv> right;       // sums_of_x
  std::vector<Gemv> left;        // strip by strip, the dense ones of each first
  std::vector<GemvStrip> strip;  // of `left`
  Index columns = 0;             // of x
  Index rows = 0;                // of y
  Index sums = 0;
};

// Fig. 7: as they come; by rows; or by rows in eights, and within each of these by columns.
enum class GemvOrder { as_they_come, rows, rows_in_eights };
// Fig. 8: so many in each; or those in a range of rows (Fig. 9: up to 8, 32, 64, 96, ...), so many at most.
enum class GemvCut { count, row_ranges };
// How panels of the same rows are added: by atomic operations, or strip by strip.
enum class GemvSum { atomic, strips };

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

struct GemvPlan {
  std::span<const std::byte> given_panels;  // the tasks'
  std::vector<std::byte> padded_panels;     // in their place
  std::vector<Gemv> gemv;
  std::vector<GemvStrip> strip;
  std::vector<GemvBatch> batch;
  Range right;  // of the merged kernel
  Index columns = 0, rows = 0, sums = 0;
  Index slack = 0;  // numbers behind x and the sums that padded panels multiply by zero
  bool is_padded = false;
  bool is_merged = false;

  std::span<const std::byte> panels() const { return is_padded ? padded_panels : given_panels; }
};

// Throws Error(usage) when panels cannot be padded, since strips are summed as they are.
GemvPlan make_gemv_plan(const GemvTasks& tasks, const GemvOptions& options);
// Makes the panels of a padded plan, of T: until then it can only be counted.
template <Scalar T>
void store_padded(GemvPlan& plan);

// What each of several devices of a process does: batches of panels of V and of dense blocks in turn, and of
// U where the sums are (VI-A).
std::vector<GemvTasks> deal_to_devices(const GemvTasks& tasks, const GemvOptions& options, Index devices);

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
GemvCounts count_gemv(const GemvPlan& plan);

}  // namespace trisweep::device
