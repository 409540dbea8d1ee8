#pragma once
// Every scalar type, for typed tests.

#include <gtest/gtest.h>

#include <complex>

#include "trisweep/core/types.hpp"

namespace trisweep::testing_support {

#define TRISWEEP_ONE_OF(T) , T
template <class, class... T>
using TypesButFirst = ::testing::Types<T...>;
using Scalars = TypesButFirst<void TRISWEEP_FOR_EACH_SCALAR(TRISWEEP_ONE_OF)>;
#undef TRISWEEP_ONE_OF
// For what every type takes the same steps in.
using DoubleScalars = ::testing::Types<double, std::complex<double>>;

}  // namespace trisweep::testing_support
