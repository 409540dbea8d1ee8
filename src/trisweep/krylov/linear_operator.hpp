#pragma once
// What Krylov methods know of a matrix: its products with distributed vectors.

#include <algorithm>
#include <concepts>
#include <functional>
#include <memory>
#include <type_traits>

#include "trisweep/core/vectors.hpp"
#include "trisweep/device/step_runner.hpp"

namespace trisweep::krylov {

// a(x, y): y = A x, column by column; each rank passes its rows of both, which have no memory in common.
// Collective. Matrices, solves with their factors (preconditioners), and products of such are all of this
// kind.
template <class A, class T>
concept LinearOperator = std::invocable<A&, Vectors<const T>, Vectors<T>>;

// Work that a product does not depend on, done while its messages are under way: it calls its argument now
// and then, so that they move.
using Poll = std::function<void()>;
using Meanwhile = std::function<void(const Poll&)>;

// One whose messages move meanwhile: a(x, y, work).
template <class A, class T>
concept OverlappingOperator = std::invocable < A&,
        Vectors<const T>, Vectors<T>,
const Meanwhile& > ;

// Any of them, by reference: it outlives this.
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
  // Before the product where the operator cannot do it meanwhile.
  void operator()(Vectors<const T> x, Vectors<T> y, const Meanwhile& work) const {
    apply_beside_(object_, x, y, work);
  }
  // Whether vectors may be in a device's memory.
  bool reaches_device() const { return reaches_device_; }
  // Whether y would be x: it need not be called.
  bool is_identity() const { return is_identity_; }

 private:
  const void* object_;
  void (*apply_)(const void*, Vectors<const T>, Vectors<T>);
  void (*apply_beside_)(const void*, Vectors<const T>, Vectors<T>, const Meanwhile&);
  bool reaches_device_ = false, is_identity_ = false;
};

// y = x: where there is no preconditioner.
struct Identity {
  static constexpr bool is_identity() { return true; }
  template <Scalar T>
  void operator()(Vectors<const T> x, Vectors<T> y) const {
    for (Index c = 0; c < x.cols; ++c) std::copy_n(x.column(c), x.rows, y.column(c));
  }
};

// A, and M^-1 = about A^-1, which makes A M^-1 easy for a Krylov method.
template <Scalar T>
struct Preconditioned {
  Operator<T> a;
  Operator<T> preconditioner;
  // Where a method has its vectors that can have them on a device; null: in the host's memory.
  device::StepRunner<T>* vectors = nullptr;
};

}  // namespace trisweep::krylov
