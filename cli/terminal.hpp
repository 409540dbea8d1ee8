#pragma once
#include <initializer_list>
#include <string>

#include "trisweep/core/clock.hpp"
#include "trisweep/core/observer.hpp"

namespace trisweep::cli {

// Where a command talks to its user: results on standard output, errors and warnings on standard error, and
// while work goes on which stage is at work there, and how far it is: on a terminal in one line that is drawn
// over and over, for stages that take more than half a second; elsewhere in a line for each stage, when it
// has taken a few seconds.
//
// Only rank 0's terminal speaks (`enabled`): a message that all ranks have is printed once.
class Terminal final : public Observer {
 public:
  explicit Terminal(bool enabled);
  ~Terminal() override { clear(); }
  void progress(std::string_view stage, double fraction) override;

  // From now on without progress and summaries.
  void be_quiet() { quiet_ = true; }

  // Whole lines, each ending in a newline.
  void print(const std::string& lines);
  // Throws Error(environment) when standard output has not taken all that was printed.
  void require_printed() const;
  // A summary: the same, but on standard error when one of the output files is standard output itself.
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
  bool drawn_ = false;  // and to be cleared
  bool said_ = false;   // that the stage takes long, off a terminal
  int lost_ = 0;        // errno of what standard output did not take
  std::string stage_;
  Clock::time_point started_{};  // of the stage
  Clock::time_point last_{};
};

}  // namespace trisweep::cli
