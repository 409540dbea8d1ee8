#include "terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace trisweep::cli {

using namespace std::chrono_literals;

Terminal::Terminal(bool enabled)
    : enabled_(enabled), draws_progress_(enabled && isatty(STDERR_FILENO) != 0) {}

void Terminal::progress(std::string_view stage, double fraction) {
  if (!draws_progress_) return;
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

void Terminal::clear() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
  drawn_ = false;
}

void Terminal::print(const std::string& lines) {
  if (!enabled_) return;
  clear();
  fmt::print("{}", lines);
  std::fflush(stdout);
}

void Terminal::print_beside(std::initializer_list<std::string> outputs, const std::string& lines) {
  const bool taken = std::ranges::any_of(outputs, [](const std::string& name) {
    return name == "/dev/stdout" || name == "/dev/fd/1" || name == "/proc/self/fd/1";
  });
  if (!taken) return print(lines);
  if (!enabled_) return;
  clear();
  fmt::print(stderr, "{}", lines);
}

void Terminal::warn(const std::string& text) {
  complain("warning", text);
}

void Terminal::error(const std::string& text) {
  complain("error", text);
}

void Terminal::complain(const char* severity, const std::string& text) {
  if (!enabled_) return;
  clear();
  fmt::print(stderr, "trisweep: {}: {}\n", severity, text);
}

}  // namespace trisweep::cli
