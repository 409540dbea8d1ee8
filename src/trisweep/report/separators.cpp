#include "trisweep/report/separators.hpp"

#include <fmt/format.h>

#include <cmath>

#include "trisweep/report/text.hpp"

namespace trisweep::report {
namespace {

double percent(double extra, double whole) {
  return 100 * extra / (whole - extra);
}

// `extra` of the `whole` bytes, such as "+3.1 MB (+4.1 %)".
std::string more(double extra, double whole) {
  return fmt::format("{}{} ({:+.1f} %)", extra < 0 ? '-' : '+', bytes(std::abs(extra)),
                     percent(extra, whole));
}

}  // namespace

std::string separators_in_words(const RunRecord& r) {
  const SeparatorsRecord& s = r.separators.value();
  return fmt::format("{} of factors, {} on the fullest rank, {:+.1f} % work to factor",
                     more(s.extra_bytes, double(r.factor.bytes)),
                     more(s.extra_panel_bytes_max, r.solve.panel_bytes_max),
                     percent(s.extra_flops, r.factor.flops));
}

}  // namespace trisweep::report
