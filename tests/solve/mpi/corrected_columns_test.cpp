// When corrections go on, whatever makes them.

#include "trisweep/solve/corrected_columns.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace trisweep::solve {
namespace {

ColumnError error_of(double value) {
  ColumnError e;
  e.arioli_demmel_duff = e.componentwise = value;
  return e;
}

// Steps each of which leaves so much of the errors.
class Steps {
 public:
  Steps(std::vector<double> errors, double share) : errors_(std::move(errors)), share_(share) {}

  CorrectedColumns columns() const {
    std::vector<ColumnError> all;
    for (const double e : errors_) all.push_back(error_of(e));
    return {std::move(all), true};
  }
  CorrectionStep step() {
    return {.correct =
                [this] {
                  ++made_;
                  for (double& e : errors_) e *= share_;
                  return columns().take_errors();
                },
            .take = [this](std::span<const Index> taken) { taken_ = taken.size(); },
            .measure = [this] { ++measured_; }};
  }
  int made() const { return made_; }
  int measured() const { return measured_; }
  std::size_t taken() const { return taken_; }

 private:
  std::vector<double> errors_;
  double share_;
  int made_ = 0, measured_ = 0;
  std::size_t taken_ = 0;
};

TEST(CorrectedColumns, FewGmresStepsWhereBetterFactorsCanBeMade) {
  for (const bool replaceable : {false, true}) {
    const auto limits = RefinementLimits::of<double>({.replaceable = replaceable});
    Steps slow({1e-3, 1e-9}, 0.1);
    auto columns = slow.columns();
    columns.correct_by_gmres(slow.step(), limits);
    EXPECT_EQ(columns.are_done(limits), !replaceable);
    EXPECT_EQ(slow.made(), replaceable ? 1 : columns.steps());
    Steps quick({1e-3, 1e-9}, 1e-5);
    auto others = quick.columns();
    others.correct_by_gmres(quick.step(), limits);
    EXPECT_TRUE(others.are_done(limits));
    EXPECT_EQ(quick.made(), 3);
  }
}

TEST(CorrectedColumns, TakeWhatHelpsAlone) {
  const auto limits = RefinementLimits::of<double>({});
  Steps worse({1e-3, 1e-9}, 2);
  auto columns = worse.columns();
  columns.correct_by_factors(worse.step(), limits);
  EXPECT_EQ(worse.made(), 1);
  EXPECT_EQ(worse.taken(), 0U);
  EXPECT_EQ(columns.steps(), 0);
  EXPECT_EQ(columns.errors()[0].arioli_demmel_duff, 1e-3);
  EXPECT_EQ(columns.improve(worse.step(), componentwise, limits), 1);
  EXPECT_EQ(worse.measured(), 1);  // its residual was of what was not taken
}

TEST(CorrectedColumns, AreNotDoneWithWhatIsNoNumber) {
  const auto limits = RefinementLimits::of<double>({});
  CorrectedColumns columns({error_of(0), error_of(std::nan("")), error_of(1e-17)}, true);
  EXPECT_FALSE(columns.are_done(limits));
  EXPECT_TRUE(CorrectedColumns({error_of(0)}, true).are_done(limits));
  EXPECT_TRUE(CorrectedColumns({error_of(1)}, true, limits.steps).are_done(limits));
}

}  // namespace
}  // namespace trisweep::solve
