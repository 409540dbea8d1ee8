#pragma once
#include <initializer_list>
#include <string>

#include "trisweep/core/clock.hpp"
#include "trisweep/core/observer.hpp"

namespace trisweep::cli {

// Output of a command: results on standard output; errors, warnings and progress on standard error. Progress
// is the current stage and its fraction done. On a terminal it is one line, which is redrawn, for stages that
// take more than half a second; elsewhere a line per stage that has taken a few seconds.
//
// Only rank 0's terminal is enabled, so that a message that all ranks have is printed once.
class Terminal final : public Observer {
 public:
  explicit Terminal(bool enabled);
  ~Terminal() override { clear(); }
  void progress(std::string_view stage, double fraction) override;

  // Turns off progress and summaries.
  void be_quiet() { quiet_ = true; }

  // Prints complete lines, each ending in a newline.
  void print(const std::string& lines);
  // Throws Error(environment) if writing to standard output has failed.
  void require_printed() const;
  // Prints a summary: on standard output, or on standard error if one of the outputs is standard output.
  void print_beside(std::initializer_list<std::string> outputs, const std::string& lines);
  void warn(const std::string& text);
  void error(const std::string& text);

 private:
  void draw(double fraction);
  void clear();
  void complain(const char* severity, const std::string& text);

  bool enabled_;
  bool on_terminal_;
  bool quiet_ = false;
  bool drawn_ = false;  // a progress line is on the terminal
  bool said_ = false;   // the stage's line has been printed (without a terminal)
  int lost_ = 0;        // errno of a failed write to standard output
  std::string stage_;
  Clock::time_point started_{};  // start of the stage
  Clock::time_point last_{};
};

}  // namespace trisweep::cli
