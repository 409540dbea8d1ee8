#pragma once
// Numbers as a panel keeps them: of the scalar type T of the vectors that it multiplies, or of one with fewer
// bits. Products widen them in registers, and add up in T.

#include <cstddef>

#include "trisweep/core/types.hpp"

namespace trisweep::kernels {

// What numbers for vectors of T may be stored as. A type of one's own is one whose conversion to RealOf<T>
// (of a complex one: of RealOf<S>) is exact, with a line of the table below.
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

// Those of this processor.
template <class S, Scalar T>
const PanelKernels<T>& panel_kernels();

// A pointer to them, which knows the products for their type: the choice among storages is made when it is
// made.
template <Scalar T>
class Stored {
 public:
  Stored() = default;
  template <class S>
  requires StorageOf<S, T> Stored(const S* first)
      : first_(reinterpret_cast<const char*>(first)), bytes_(sizeof(S)), kernels_(&panel_kernels<S, T>()) {}

  // What only those kernels can read: a panel by itself, from which nothing is counted.
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
  Offset bytes_ = 0;  // of a number
  const PanelKernels<T>* kernels_ = nullptr;
};

}  // namespace trisweep::kernels
