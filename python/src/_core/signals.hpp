#pragma once
// Handling of Python's signals, such as Ctrl-C, while the library works.

#include <nanobind/nanobind.h>

#include <atomic>
#include <string_view>
#include <thread>

#include "trisweep/core/clock.hpp"
#include "trisweep/core/error.hpp"
#include "trisweep/core/observer.hpp"
#include "trisweep/numeric/blas_threads.hpp"

namespace trisweep::python {

namespace nb = nanobind;

// Ends work when the interpreter has a signal to handle. Only Python's main thread handles signals.
class Signals final : public Observer {
 public:
  // Does `work` in the calling thread, without the interpreter's lock.
  template <class Work>
  void heed(const Work& work) {
    caller_ = std::this_thread::get_id();
    raised_ = false;
    try {
      const nb::gil_scoped_release others_run;
      const numeric::OneBlasThread one_blas_thread;
      work();
    } catch (...) {
      if (raised_) throw nb::python_error();
      throw;
    }
  }

  void progress(std::string_view /*stage*/, double /*fraction*/) override { poll(); }
  void poll() override {
    const auto now = Clock::now();
    if (!raised_ && std::this_thread::get_id() == caller_ && now - last_ > std::chrono::milliseconds(50)) {
      last_ = now;
      const nb::gil_scoped_acquire mine;
      raised_ = PyErr_CheckSignals() != 0;
    }
    if (raised_)
      throw Error(ErrorKind::environment, "a signal has ended the work of this solver", "make another one");
  }

 private:
  std::thread::id caller_;
  Clock::time_point last_{};          // when the caller last checked
  std::atomic<bool> raised_ = false;  // a Python exception is set in the caller's thread
};

}  // namespace trisweep::python
