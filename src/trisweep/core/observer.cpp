#include "trisweep/core/observer.hpp"

namespace trisweep {

Observer& silent_observer() {
  static Observer observer;  // stateless
  return observer;
}

}  // namespace trisweep
