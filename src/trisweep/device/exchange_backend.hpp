#pragma once

namespace trisweep::device {

// How messages between layers, and those of vectors, are sent: by puts of the devices, like all other
// messages, or by the host, between launches.
enum class ExchangeBackend { puts, mpi };

}  // namespace trisweep::device
