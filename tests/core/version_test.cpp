#include "trisweep/core/version.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace trisweep {
namespace {

TEST(Version, OfTheLibraryIsThatOfTheHeaders) {
  const auto text = [](int number) { return std::to_string(number); };
  EXPECT_EQ(version(), text(TRISWEEP_VERSION_MAJOR) + "." + text(TRISWEEP_VERSION_MINOR) + "." +
                           text(TRISWEEP_VERSION_PATCH));
}

#define TRISWEEP_TEXT_OF(name) #name
#define TRISWEEP_TEXT(name) TRISWEEP_TEXT_OF(name)
#ifndef TRISWEEP_ONLY_ISA
#define TRISWEEP_ONLY_ISA baseline  // the first of all
#endif

TEST(Version, SaysHowTheLibraryWasBuilt) {
  EXPECT_THAT(build_options(), testing::HasSubstr("instruction sets " TRISWEEP_TEXT(TRISWEEP_ONLY_ISA)));
  EXPECT_THAT(build_options(), testing::HasSubstr("GPU"));
}

TEST(Version, NamesACommitOrNone) {
  EXPECT_THAT(commit(), testing::MatchesRegex("([0-9a-f]{7,40}(-dirty)?)?"));
}

}  // namespace
}  // namespace trisweep
