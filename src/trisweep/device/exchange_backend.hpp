#pragma once

namespace trisweep::device {

// How messages between layers, and those of vectors, travel: by puts of the devices, as all others, or the
// host takes them to where they go, between launches.
enum class ExchangeBackend { puts, mpi };

}  // namespace trisweep::device
