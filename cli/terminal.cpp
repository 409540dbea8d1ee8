#include "terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "outputs.hpp"
#include "trisweep/core/error.hpp"

namespace trisweep::cli {
namespace {

// Does not use fmt::print, which throws: a failure of standard error could not be reported anywhere.
void say(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace

using namespace std::chrono_literals;

Terminal::Terminal(bool enabled) : enabled_(enabled), on_terminal_(isatty(STDERR_FILENO) != 0) {}

void Terminal::progress(std::string_view stage, double fraction) {
  if (!enabled_ || quiet_) return;
  const auto now = Clock::now();
  if (stage != stage_) {
    stage_ = stage;
    started_ = now;
    said_ = false;
  }
  if (on_terminal_ ? now - started_ < 500ms || now - last_ < 100ms : said_ || now - started_ < 3s) return;
  last_ = now;
  draw(fraction);
}

void Terminal::draw(double fraction) {
  said_ = true;
  drawn_ = on_terminal_;
  say(fmt::format("{}{:<10} {:3.0f} %  {:.0f} s{}", on_terminal_ ? "\r\033[K" : "", stage_, 100 * fraction,
                  std::chrono::duration<double>(last_ - started_).count(), on_terminal_ ? "" : "\n"));
}

void Terminal::clear() {
  if (drawn_) say("\r\033[K");
  drawn_ = false;
}

void Terminal::print(const std::string& lines) {
  if (!enabled_) return;
  clear();
  const bool printed = std::fwrite(lines.data(), 1, lines.size(), stdout) == lines.size();
  if (!printed || std::fflush(stdout) != 0) lost_ = errno;
}

void Terminal::require_printed() const {
  if (lost_ != 0)
    throw Error(ErrorKind::environment, fmt::format("cannot write standard output: {}", std::strerror(lost_)),
                "redirect it to a file with space on its disk, or leave it to the terminal");
}

void Terminal::print_beside(std::initializer_list<std::string> outputs, const std::string& lines) {
  if (quiet_) return;
  if (std::ranges::none_of(outputs, is_standard_output)) return print(lines);
  if (!enabled_) return;
  clear();
  say(lines);
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
  say(fmt::format("trisweep: {}: {}\n", severity, text));
}

}  // namespace trisweep::cli
