#pragma once
#include <chrono>
#include <string>

#include "trisweep/core/observer.hpp"

namespace trisweep::cli {

// One line on the terminal that says which stage is at work and how far it is. Silent when standard error is
// not a terminal, and for work that takes less than half a second.
class TerminalProgress final : public Observer {
 public:
  explicit TerminalProgress(bool enabled);
  ~TerminalProgress() override { clear(); }
  void progress(std::string_view stage, double fraction) override;
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  bool enabled_;
  bool drawn_ = false;
  std::string stage_;
  Clock::time_point started_{};  // of the stage
  Clock::time_point last_{};
};

}  // namespace trisweep::cli
