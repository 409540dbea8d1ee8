// What tests of every variant cover, by counting.

#include "device/variants.hpp"

#include <gtest/gtest.h>

#include <set>

namespace trisweep::testing_support {
namespace {

std::string name_without_grid(const Combination& of) {
  return of.variant.name.substr(of.grid.name().size());
}

// By names: variant, and op, type, storage, right-hand sides, grid.
std::vector<std::string> choices(const Combination& of) {
  return {name_without_grid(of),
          fmt::format("op {}", char(of.op)),
          of.is_complex ? "complex" : "real",
          of.in_tiles ? "compressed" : "plain",
          fmt::format("{} right-hand sides", of.nrhs),
          of.grid.name()};
}
constexpr std::size_t variant = 0, grid = 5, axes = 6;

// Pairs of choices on axes `from` and later that these have not, as many of them as there could be.
std::vector<std::string> missing_pairs(const std::vector<Combination>& all, std::size_t from) {
  std::array<std::set<std::string>, axes> of_axis;
  std::set<std::string> pairs;
  for (const Combination& of : all) {
    const auto chosen = choices(of);
    for (std::size_t i = 0; i < axes; ++i) {
      of_axis[i].insert(chosen[i]);
      for (std::size_t j = i + 1; j < axes; ++j) pairs.insert(chosen[i] + ", " + chosen[j]);
    }
  }
  std::vector<std::string> missing;
  for (std::size_t i = from; i < axes; ++i) {
    for (std::size_t j = i + 1; j < axes; ++j) {
      if (i == variant && j == grid) continue;  // not every variant is one of every grid
      for (const std::string& one : of_axis[i])
        for (const std::string& other : of_axis[j])
          if (!pairs.contains(one + ", " + other)) missing.push_back(one + ", " + other);
    }
  }
  return missing;
}

// Variants with their grids.
std::set<std::string> names(const std::vector<Combination>& all) {
  std::set<std::string> found;
  for (const Combination& of : all) found.insert(of.variant.name);
  return found;
}
std::set<std::string> variants_of(const std::vector<Combination>& all) {
  std::set<std::string> found;
  for (const Combination& of : all) found.insert(name_without_grid(of));
  return found;
}

TEST(Combinations, HaveEveryVariantOfEveryGrid) {
  const auto all = combinations();
  std::size_t variants_of_grids = 0;
  std::set<std::string> grids;
  std::set<Index> pes;
  for (const Combination& of : all) {
    pes.insert(of.grid.ranks());
    if (grids.insert(of.grid.name()).second) variants_of_grids += variants(of.grid).size();
  }
  EXPECT_EQ(names(all).size(), variants_of_grids);
  EXPECT_EQ(all.size(), variants_of_grids);
  EXPECT_EQ(pes, (std::set<Index>{1, 2, 3, 4}));
  EXPECT_EQ(variants_of(some_combinations()), variants_of(all));
}

TEST(Combinations, HaveEveryPairOfChoices) {
  EXPECT_EQ(missing_pairs(combinations(), variant), std::vector<std::string>());
  EXPECT_EQ(missing_pairs(some_combinations(), variant + 1), std::vector<std::string>());
}

// With every grid each op, type and storage together.
TEST(Combinations, HaveEveryOpTypeAndStorageOnEveryGrid) {
  std::set<std::string> together, grids;
  for (const Combination& of : combinations()) {
    grids.insert(of.grid.name());
    together.insert(fmt::format("{} {} {} {}", of.grid.name(), char(of.op), of.is_complex, of.in_tiles));
  }
  EXPECT_EQ(together.size(), grids.size() * 12);
}

}  // namespace
}  // namespace trisweep::testing_support
