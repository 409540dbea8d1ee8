#pragma once
#include <initializer_list>
#include <string>

#include "trisweep/core/clock.hpp"
#include "trisweep/core/observer.hpp"

namespace trisweep::cli {

// Where a command talks to its user: results on standard output, errors and warnings on standard error, and
// while work goes on one line there that says which stage is at work and how far it is. That line is drawn
// only when standard error is a terminal, and for stages that take more than half a second.
//
// Only rank 0's terminal speaks (`enabled`): a message that all ranks have is printed once.
class Terminal final : public Observer {
 public:
  explicit Terminal(bool enabled);
  ~Terminal() override { clear(); }
  void progress(std::string_view stage, double fraction) override;

  // Whole lines, each ending in a newline.
  void print(const std::string& lines);
  // The same, but on standard error when one of the output files is standard output itself.
  void print_beside(std::initializer_list<std::string> outputs, const std::string& lines);
  void warn(const std::string& text);
  void error(const std::string& text);

 private:
  void clear();
  void complain(const char* severity, const std::string& text);

  bool enabled_;
  bool draws_progress_;
  bool drawn_ = false;
  std::string stage_;
  Clock::time_point started_{};  // of the stage
  Clock::time_point last_{};
};

}  // namespace trisweep::cli
