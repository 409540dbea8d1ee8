#pragma once
// Storage of a panel's values: in the scalar type T of the vectors that it multiplies, or in one with fewer
// bits. Products convert values in registers, and accumulate in T.

#include <cstddef>

#include "trisweep/core/types.hpp"

namespace trisweep::kernels {

// Types in which values for vectors of T may be stored. A new type must convert exactly to RealOf<T> (for a
// complex type: RealOf<S> must), and needs a line in the table below.
template <class S, class T>
concept StorageOf = Scalar<T> &&(is_complex<S> == is_complex<T>)&&(sizeof(S) <= sizeof(T)) &&
                    std::convertible_to<RealOf<S>, RealOf<T>>;

// TRISWEEP_FOR_EACH_STORAGE(MACRO) expands MACRO(S, T) for every storage S of every scalar type T.
#if defined(TRISWEEP_REAL_ONLY)
#define TRISWEEP_FOR_EACH_STORAGE(MACRO) MACRO(double, double)
#elif defined(TRISWEEP_DOUBLE_ONLY)
#define TRISWEEP_FOR_EACH_STORAGE(MACRO) \
  MACRO(double, double)                  \
  MACRO(std::complex<double>, std::complex<double>)
#else
#define TRISWEEP_FOR_EACH_STORAGE(MACRO)            \
  MACRO(float, float)                               \
  MACRO(double, double)                             \
  MACRO(std::complex<float>, std::complex<float>)   \
  MACRO(std::complex<double>, std::complex<double>) \
  MACRO(float, double)                              \
  MACRO(std::complex<float>, std::complex<double>)
#endif

template <Scalar T>
struct PanelKernels;  // products.hpp

// Kernels for this processor.
template <class S, Scalar T>
const PanelKernels<T>& panel_kernels();

// Pointer to stored values, together with the kernels for their type: the storage is chosen at construction.
template <Scalar T>
class Stored {
 public:
  Stored() = default;
  template <class S>
  requires StorageOf<S, T> Stored(const S* first)
      : first_(reinterpret_cast<const char*>(first)), bytes_(sizeof(S)), kernels_(&panel_kernels<S, T>()) {}

  // A panel in a format that only these kernels can read; adding an offset to the pointer has no effect.
  Stored(const std::byte* panel, const PanelKernels<T>& kernels)
      : first_(reinterpret_cast<const char*>(panel)), kernels_(&kernels) {}

  Stored operator+(Offset numbers) const {
    Stored moved = *this;
    moved.first_ += numbers * bytes_;
    return moved;
  }
  const PanelKernels<T>& kernels() const { return *kernels_; }
  template <class S>
  bool is() const {
    return kernels_ == &panel_kernels<S, T>();
  }
  // For callers that know the type.
  template <class S>
  const S* as() const {
    return reinterpret_cast<const S*>(first_);
  }

 private:
  const char* first_ = nullptr;
  Offset bytes_ = 0;  // of a value
  const PanelKernels<T>* kernels_ = nullptr;
};

}  // namespace trisweep::kernels
