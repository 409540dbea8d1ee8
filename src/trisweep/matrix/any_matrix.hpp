#pragma once
// The content of a file: a real matrix (pattern entries become 1.0, integers are converted) or a complex one.

#include <variant>

#include "trisweep/core/error.hpp"
#include "trisweep/matrix/csr.hpp"

namespace trisweep::matrix {

using AnyCsr = std::variant<Csr<double>, Csr<std::complex<double>>>;
using AnyDense = std::variant<Dense<double>, Dense<std::complex<double>>>;

inline bool is_complex_matrix(const AnyCsr& a) {
  return std::holds_alternative<Csr<std::complex<double>>>(a);
}

// Throws Error(environment) if this build cannot solve systems with such scalars.
inline void require_scalar([[maybe_unused]] bool complex) {
#if defined(TRISWEEP_REAL_ONLY)
  if (complex)
    throw Error(ErrorKind::environment, "this build solves real systems alone",
                "make the rest by scripts/build");
#endif
}

// Returns run(T()), T being the scalar type of a system. Throws as require_scalar does.
template <class Run>
auto with_scalar(bool complex, const Run& run) {
  require_scalar(complex);
#if !defined(TRISWEEP_REAL_ONLY)
  if (complex) return run(std::complex<double>());
#endif
  return run(double());
}

}  // namespace trisweep::matrix
