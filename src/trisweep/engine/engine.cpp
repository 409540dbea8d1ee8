#include "trisweep/engine/engine.hpp"

#include "trisweep/engine/host_engine.hpp"

namespace trisweep::engine {

template <Scalar T>
std::unique_ptr<Engine<T>> make_engine(const RankSystem<T>& system, const EngineOptions& options) {
  return std::make_unique<HostEngine<T>>(system, options);
}

#define INSTANTIATE(T) \
  template std::unique_ptr<Engine<T>> make_engine(const RankSystem<T>&, const EngineOptions&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::engine
