#pragma once
// What a file holds: real files (pattern and integer too, as 1.0 and converted) or complex ones.

#include <variant>

#include "trisweep/core/error.hpp"
#include "trisweep/matrix/csr.hpp"

namespace trisweep::matrix {

using AnyCsr = std::variant<Csr<double>, Csr<std::complex<double>>>;
using AnyDense = std::variant<Dense<double>, Dense<std::complex<double>>>;

inline bool is_complex_matrix(const AnyCsr& a) {
  return std::holds_alternative<Csr<std::complex<double>>>(a);
}

// Throws Error(environment) where the build solves in no such scalars.
inline void require_scalar([[maybe_unused]] bool complex) {
#if defined(TRISWEEP_REAL_ONLY)
  if (complex)
    throw Error(ErrorKind::environment, "this build solves real systems alone",
                "make the rest by scripts/build");
#endif
}

// run(T()) for the scalars of a system. Throws as require_scalar does.
template <class Run>
auto with_scalar(bool complex, const Run& run) {
  require_scalar(complex);
#if !defined(TRISWEEP_REAL_ONLY)
  if (complex) return run(std::complex<double>());
#endif
  return run(double());
}

}  // namespace trisweep::matrix
