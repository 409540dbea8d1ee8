#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace trisweep::cli {

using namespace std::chrono_literals;

TerminalProgress::TerminalProgress(bool enabled) : enabled_(enabled && isatty(STDERR_FILENO) != 0) {}

void TerminalProgress::progress(std::string_view stage, double fraction) {
  if (!enabled_) return;
  const auto now = Clock::now();
  if (stage != stage_) {
    stage_ = stage;
    started_ = now;
  }
  if (now - started_ < 500ms || now - last_ < 100ms) return;
  last_ = now;
  drawn_ = true;
  const double seconds = std::chrono::duration<double>(now - started_).count();
  fmt::print(stderr, "\r\033[K{:<10} {:3.0f} %  {:.0f} s", stage_, 100 * fraction, seconds);
  std::fflush(stderr);
}

void TerminalProgress::clear() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
  drawn_ = false;
}

}  // namespace trisweep::cli
