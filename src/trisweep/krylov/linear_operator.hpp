#pragma once
// The interface of matrices for Krylov methods: products with distributed vectors.

#include <algorithm>
#include <concepts>
#include <functional>
#include <memory>
#include <type_traits>

#include "trisweep/core/vectors.hpp"
#include "trisweep/device/step_runner.hpp"

namespace trisweep::krylov {

// a(x, y): y = A x, column by column; each rank passes its rows of x and y, which must not overlap.
// Collective. Matrices, solves with their factors (preconditioners) and their products are linear operators.
template <class A, class T>
concept LinearOperator = std::invocable<A&, Vectors<const T>, Vectors<T>>;

// Work independent of a product, done while its messages are in transit: it calls its argument now and then,
// so that messages progress.
using Poll = std::function<void()>;
using Meanwhile = std::function<void(const Poll&)>;

// An operator that overlaps its messages with work: a(x, y, work).
template <class A, class T>
concept OverlappingOperator = std::invocable < A&,
        Vectors<const T>, Vectors<T>,
const Meanwhile& > ;

// A reference to any linear operator, which must outlive it.
template <Scalar T>
class Operator {
 public:
  template <LinearOperator<T> A>
  requires(!std::same_as<std::remove_const_t<A>, Operator>) Operator(A& a)
      : object_(std::addressof(a)),
        apply_([](const void* object, Vectors<const T> x, Vectors<T> y) {
          (*static_cast<A*>(const_cast<void*>(object)))(x, y);
        }),
        apply_beside_([](const void* object, Vectors<const T> x, Vectors<T> y, const Meanwhile& work) {
          A& it = *static_cast<A*>(const_cast<void*>(object));
          if constexpr (OverlappingOperator<A, T>) {
            it(x, y, work);
          } else {
            work([] {});
            it(x, y);
          }
        }) {
    if constexpr (requires { a.reaches_device(); }) reaches_device_ = a.reaches_device();
    if constexpr (requires { a.is_identity(); }) is_identity_ = a.is_identity();
  }
  void operator()(Vectors<const T> x, Vectors<T> y) const { apply_(object_, x, y); }
  // Overlaps the product with `work`; if the operator cannot, runs `work` before it.
  void operator()(Vectors<const T> x, Vectors<T> y, const Meanwhile& work) const {
    apply_beside_(object_, x, y, work);
  }
  // True if vectors may be in a device's memory.
  bool reaches_device() const { return reaches_device_; }
  // True if y = x, so that it need not be called.
  bool is_identity() const { return is_identity_; }

 private:
  const void* object_;
  void (*apply_)(const void*, Vectors<const T>, Vectors<T>);
  void (*apply_beside_)(const void*, Vectors<const T>, Vectors<T>, const Meanwhile&);
  bool reaches_device_ = false, is_identity_ = false;
};

// y = x: no preconditioner.
struct Identity {
  static constexpr bool is_identity() { return true; }
  template <Scalar T>
  void operator()(Vectors<const T> x, Vectors<T> y) const {
    for (Index c = 0; c < x.cols; ++c) std::copy_n(x.column(c), x.rows, y.column(c));
  }
};

// A and a preconditioner M^-1 ~ A^-1: the Krylov method works with A M^-1.
template <Scalar T>
struct Preconditioned {
  Operator<T> a;
  Operator<T> preconditioner;
  // Runs vector operations, on a device for methods that support it; null: vectors are in host memory.
  device::StepRunner<T>* vectors = nullptr;
};

}  // namespace trisweep::krylov
