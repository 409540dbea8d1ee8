#pragma once
// What a file holds: real files (pattern and integer too, as 1.0 and converted) or complex ones.

#include <variant>

#include "trisweep/matrix/csr.hpp"

namespace trisweep::matrix {

using AnyCsr = std::variant<Csr<double>, Csr<std::complex<double>>>;
using AnyDense = std::variant<Dense<double>, Dense<std::complex<double>>>;

}  // namespace trisweep::matrix
