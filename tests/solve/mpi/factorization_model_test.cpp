// What a factorization sends is what the model says, message by message.

#include <gtest/gtest.h>

#include <complex>

#include "gallery/gallery.hpp"
#include "support/failing_calls.hpp"
#include "support/rows_of.hpp"
#include "support/scalars.hpp"
#include "trisweep/model/factorization.hpp"
#include "trisweep/mpi/tags.hpp"
#include "trisweep/solve/fronts_factorizer.hpp"

namespace trisweep::solve {
namespace {

constexpr auto fronts_tag = static_cast<std::size_t>(mpi::Tag::fronts);

template <Scalar T>
void expect_what_is_sent(const std::string& name, Index n, numeric::Kind kind, int whole_levels) {
  const auto a = matrix::convert<T>(std::get<matrix::Csr<double>>(gallery::make_matrix(name, {.n = n})));
  const mpi::Communicator world(MPI_COMM_WORLD);
  const auto partition = distribution::even_partition(a.rows(), world.size());
  testing_support::RowsOf<T> rows;
  for (Index i = 0; i < partition.count(world.rank()); ++i)
    rows.number.push_back(partition.first(world.rank()) + i);
  FrontsFactorizer<T, T> factorizer;
  factorizer.begin(world, world.rank() == 0 ? std::make_shared<const Analysis>(analyze_as(
                                                  kind, a, {.symbolic = {.whole_levels = whole_levels}}))
                                            : nullptr);
  testing_support::sent_by_tag[fronts_tag] = {};
  const auto made = factorizer.factor(world, rows.of(a, false).a, partition, {}, silent_observer());
  ASSERT_TRUE(made);
  const auto price = model::price_factorization({.structure = *factorizer.analysis()->structure,
                                                 .kind = kind,
                                                 .nonzeros = a.nonzeros(),
                                                 .value_bytes = sizeof(T),
                                                 .complex = is_complex<T>},
                                                world.size(), model::find_machine("generic"));
  const model::FactoringRank& mine = price.rank.at(usize(world.rank()));
  EXPECT_EQ(testing_support::sent_by_tag[fronts_tag].messages, mine.messages) << name << whole_levels;
  EXPECT_EQ(testing_support::sent_by_tag[fronts_tag].bytes, mine.bytes) << name << whole_levels;
}

template <Scalar T>
void expect_what_is_sent_of_all_kinds() {
  for (const int whole_levels : {0, 3}) {
    expect_what_is_sent<T>("convection3d", 14, numeric::Kind::lu, whole_levels);
    expect_what_is_sent<T>("poisson3d", 14, numeric::Kind::cholesky, whole_levels);
    expect_what_is_sent<T>("poisson3d", 14, numeric::Kind::ldlt, whole_levels);
    expect_what_is_sent<T>("s2d9", 80, numeric::Kind::lu, whole_levels);
  }
}

TEST(FactorizationModel, CountsWhatIsSent) {
  expect_what_is_sent_of_all_kinds<double>();
}
// A front has as many children as there are rows. A message for each would be 20,000 and more.
TEST(FactorizationModel, ManySmallContributionsTakeFewMessages) {
  expect_what_is_sent<double>("arrow", 30'000, numeric::Kind::lu, 0);
  EXPECT_LT(testing_support::sent_by_tag[fronts_tag].messages, 200);
}
// Whose messages come in more pieces.
TEST(FactorizationModel, CountsWhatIsSentOfComplexValues) {
  expect_what_is_sent_of_all_kinds<std::complex<double>>();
}

}  // namespace
}  // namespace trisweep::solve
