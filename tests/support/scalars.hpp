#pragma once
// Every scalar type of the build, for typed tests.

#include <gtest/gtest.h>

#include <complex>

#include "trisweep/core/types.hpp"

namespace trisweep::testing_support {

// Whether the build has single precision.
inline constexpr bool has_single = !std::same_as<Single<double>, double>;

// For what every type takes the same steps in.
using DoubleScalars = ::testing::Types<double, std::complex<double>>;

#define TRISWEEP_ONE_OF(T) , T
template <class, class... T>
using TypesButFirst = ::testing::Types<T...>;
using Scalars = TypesButFirst<void TRISWEEP_FOR_EACH_SCALAR(TRISWEEP_ONE_OF)>;
#undef TRISWEEP_ONE_OF

}  // namespace trisweep::testing_support
