#pragma once
// Every scalar type, for typed tests; of builds that look for other things than numbers those in double
// precision.

#include <gtest/gtest.h>

#include <complex>

#include "trisweep/core/types.hpp"

namespace trisweep::testing_support {

// For what every type takes the same steps in.
using DoubleScalars = ::testing::Types<double, std::complex<double>>;

#ifdef TRISWEEP_TEST_DOUBLE
using Scalars = DoubleScalars;
#else
#define TRISWEEP_ONE_OF(T) , T
template <class, class... T>
using TypesButFirst = ::testing::Types<T...>;
using Scalars = TypesButFirst<void TRISWEEP_FOR_EACH_SCALAR(TRISWEEP_ONE_OF)>;
#undef TRISWEEP_ONE_OF
#endif

}  // namespace trisweep::testing_support
