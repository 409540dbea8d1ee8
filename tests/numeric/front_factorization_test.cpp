// Fronts of several processes, all in this one: what comes out of them together is the matrix.

#include "trisweep/numeric/front_factorization.hpp"

#include <gtest/gtest.h>

#include <random>

#include "numeric/support.hpp"
#include "support/scalars.hpp"

namespace trisweep::numeric {
namespace {

using testing::epsilon;

template <class T>
class FrontsOfSeveral : public ::testing::Test {};
TYPED_TEST_SUITE(FrontsOfSeveral, testing_support::Scalars);

constexpr Index processes = 3;

// Whose each front is: anybody's.
std::vector<Index> random_owners(Index fronts, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<Index> owner(0, processes - 1);
  std::vector<Index> owners(usize(fronts));
  for (Index& of : owners) of = owner(random);
  return owners;
}

// What one process has.
template <Scalar T>
struct Process {
  std::vector<char> own;
  Fronts fronts;
  std::unique_ptr<FrontFactorization<T>> run;

  Process(const matrix::Csr<T>& a, const std::shared_ptr<const symbolic::Structure>& structure, Kind kind,
          const std::vector<Index>& owners, Index me) {
    const FrontTree tree = build_front_tree(*structure);
    std::vector<char> own_supernodes(usize(structure->supernodes()), 0);
    for (Index f = 0; f < tree.fronts(); ++f) {
      own.push_back(owners[usize(f)] == me);
      for (const Index k : tree.members(f)) own_supernodes[usize(k)] = own.back();
    }
    fronts = make_fronts(a.pattern, {}, {}, structure, kind, {own_supernodes, own});
  }
};

// Not those of the fronts of others, whose contributions are added elsewhere.
TEST(Fronts, HaveThePlacesThatAreAssembledHere) {
  const auto a = testing::random_matrix<double>({.n = 60, .density = 0.05, .seed = 1});
  const auto structure = testing::random_structure(a.pattern, 6, 1);
  const std::vector<Index> owners = random_owners(build_front_tree(*structure).fronts(), 1);
  const Fronts all = make_fronts(a.pattern, {}, {}, structure, Kind::lu);
  for (Index r = 0; r < processes; ++r) {
    const Process<double> here(a, structure, Kind::lu, owners, r);
    for (Index f = 0; f < all.tree.fronts(); ++f) {
      const Index parent = all.tree.parent[usize(f)];
      if (parent != -1 && owners[usize(parent)] == r) {
        EXPECT_TRUE(std::ranges::equal(here.fronts.places_in_parent(f), all.places_in_parent(f))) << f;
      } else {
        EXPECT_TRUE(here.fronts.places_in_parent(f).empty()) << f;
      }
    }
  }
}

// The factors of all processes, put together.
template <Scalar T>
Factors<T> joined(const std::vector<Factors<T>>& parts) {
  const symbolic::Structure& s = *parts.front().structure;
  Factors<T> all;
  all.structure = parts.front().structure;
  all.kind = parts.front().kind;
  all.row_new = parts.front().row_new;
  all.col_new = parts.front().col_new;
  all.panel_ptr = all.diagonal_ptr = {0};
  for (Index k = 0; k < s.supernodes(); ++k) {
    all.panel_ptr.push_back(all.panel_ptr.back() + Offset{s.width(k)} * s.height(k));
    all.diagonal_ptr.push_back(all.diagonal_ptr.back() + Offset{s.width(k)} * s.width(k));
  }
  all.lower = Buffer<T>(usize(all.panel_ptr.back()), "test");
  all.diagonal = Buffer<T>(usize(all.diagonal_ptr.back()), "test");
  if (has_upper(all.kind)) all.upper = Buffer<T>(usize(all.panel_ptr.back()), "test");
  for (Index k = 0; k < s.supernodes(); ++k) {
    Index owners = 0;
    for (const Factors<T>& part : parts) {
      if (!part.has(k)) continue;
      ++owners;
      const auto copy = [&](const Buffer<T>& from, const auto& from_ptr, Buffer<T>& to, const auto& to_ptr) {
        ASSERT_EQ(from_ptr[usize(k) + 1] - from_ptr[usize(k)], to_ptr[usize(k) + 1] - to_ptr[usize(k)]);
        std::copy(from.data() + from_ptr[usize(k)], from.data() + from_ptr[usize(k) + 1],
                  to.data() + to_ptr[usize(k)]);
      };
      copy(part.lower, part.panel_ptr, all.lower, all.panel_ptr);
      copy(part.diagonal, part.diagonal_ptr, all.diagonal, all.diagonal_ptr);
      if (has_upper(all.kind)) copy(part.upper, part.panel_ptr, all.upper, all.panel_ptr);
    }
    EXPECT_EQ(owners, 1) << k;
  }
  for (const Factors<T>& part : parts) {
    EXPECT_EQ(part.structure->row, s.row);
    EXPECT_EQ(part.row_new, all.row_new);
    EXPECT_EQ(part.delayed_pivots, parts.front().delayed_pivots);
    all.perturbed_pivots += part.perturbed_pivots;
    all.pivots += part.pivots;
  }
  all.delayed_pivots = parts.front().delayed_pivots;
  return all;
}

// By processes in turns: children's contributions go to their parents' owner.
template <Scalar T>
std::optional<Factors<T>> factor_together(const matrix::Csr<T>& a,
                                          std::shared_ptr<const symbolic::Structure> structure, Kind kind,
                                          unsigned seed, int threads) {
  const FrontTree tree = build_front_tree(*structure);
  const std::vector<Index> owners = random_owners(tree.fronts(), seed);
  RealOf<T> largest = 0;
  for (const T& value : a.value) largest = std::max(largest, RealOf<T>(std::abs(value)));
  const MatrixValues<T> values{a.value, largest};
  std::vector<std::unique_ptr<Process<T>>> all;
  for (Index r = 0; r < processes; ++r) {
    auto& one = *all.emplace_back(std::make_unique<Process<T>>(a, structure, kind, owners, r));
    one.run = std::make_unique<FrontFactorization<T>>(
        one.fronts, values, FactorizationOptions{.threads = threads}, silent_observer(), nullptr, one.own);
    if (!one.run->factor_subtrees()) return std::nullopt;
  }
  for (Index f = 0; f < tree.fronts(); ++f) {
    Process<T>& mine = *all[usize(owners[usize(f)])];
    if (whole_subtrees(tree, mine.own)[usize(f)]) continue;
    for (const Index c : tree.children(f)) {
      if (owners[usize(c)] != owners[usize(f)]) mine.run->put(c, all[usize(owners[usize(c)])]->run->take(c));
    }
    if (!mine.run->factor_front(f)) return std::nullopt;
  }
  std::vector<RedoneFronts<T>> redone;
  for (const auto& one : all) redone.push_back(one->run->take_redone());
  std::vector<std::vector<Index>> shapes;
  for (const auto& of : redone) shapes.push_back(shapes_of(of));
  std::vector<Factors<T>> parts;
  for (std::size_t r = 0; r < all.size(); ++r) {
    for (std::size_t other = 0; other < all.size(); ++other) {
      if (other != r) add_shapes<T>(shapes[other], redone[r]);
    }
    parts.push_back(all[r]->run->finish(std::move(redone[r])));
  }
  return joined(parts);
}

template <Scalar T>
void expect_is(const std::optional<Factors<T>>& f, const matrix::Csr<T>& a, double tolerance) {
  ASSERT_TRUE(f);
  const double most = tolerance * epsilon<T> * testing::max_abs(testing::dense(a));
  EXPECT_LT(testing::max_difference(testing::reconstruct(*f), testing::dense(a)), most);
}

TYPED_TEST(FrontsOfSeveral, AreTheMatrixTogether) {
  using T = TypeParam;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const auto a = testing::random_matrix<T>({.n = 60, .density = 0.05, .seed = seed});
    const auto structure = testing::random_structure(a.pattern, 6, seed);
    const auto f = factor_together(a, structure, Kind::lu, seed, 1 + static_cast<int>(seed) % 2);
    expect_is(f, a, 1e3);
    EXPECT_EQ(f->structure->row, structure->row);
    EXPECT_EQ(f->delayed_pivots, 0);
  }
}

TYPED_TEST(FrontsOfSeveral, DefiniteAndNot) {
  using T = TypeParam;
  auto a = testing::random_definite_matrix<T>({.n = 60, .density = 0.05, .seed = 3});
  const auto structure = testing::random_structure(a.pattern, 6, 2);
  expect_is(factor_together(a, structure, Kind::cholesky, 1, 2), a, 1e3);
  for (Offset e = a.pattern.row_ptr[40]; e < a.pattern.row_ptr[41]; ++e) {
    if (a.pattern.col[usize(e)] == 40) a.value[usize(e)] = T(-1);
  }
  EXPECT_FALSE(factor_together(a, structure, Kind::cholesky, 1, 1));
  const Kind symmetric = is_complex<T> ? Kind::ldlh : Kind::ldlt;
  const auto f = factor_together(a, structure, symmetric, 4, 1);
  expect_is(f, a, 1e4);
  const auto alone = factor<T>(a, structure, symmetric, {});
  EXPECT_EQ(f->pivots.negative, alone->pivots.negative);
  EXPECT_EQ(f->pivots.positive, alone->pivots.positive);
  EXPECT_NEAR(f->pivots.log_modulus, alone->pivots.log_modulus, 1e-3);
}

// What is delayed goes to the parent's process, and comes out as in one.
TYPED_TEST(FrontsOfSeveral, DelayPivotsAcrossProcesses) {
  using T = TypeParam;
  Index delayed = 0;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    auto a = testing::random_matrix<T>({.n = 60, .density = 0.05, .seed = seed, .diagonal = 0});
    for (Index i = 0; i < a.rows(); i += 3) {
      for (const Offset e : a.pattern.entries(i)) {
        if (a.pattern.col[usize(e)] == i) a.value[usize(e)] *= T(1e-4);
      }
    }
    const auto structure = testing::random_structure(a.pattern, 4, seed);
    const auto f = factor_together(a, structure, Kind::lu, seed, 1);
    const auto alone = factor<T>(a, structure, Kind::lu, {});
    ASSERT_TRUE(f);
    EXPECT_EQ(f->delayed_pivots, alone->delayed_pivots);
    EXPECT_EQ(f->perturbed_pivots, alone->perturbed_pivots);
    EXPECT_EQ(f->structure->row, alone->structure->row);
    EXPECT_LT(testing::max_difference(testing::reconstruct(*f), testing::dense(a)),
              16 * epsilon<T> * testing::rounded_of(*f) + 1e3 * epsilon<T>);
    delayed += f->delayed_pivots;
  }
  EXPECT_GT(delayed, 20);
}

}  // namespace
}  // namespace trisweep::numeric
