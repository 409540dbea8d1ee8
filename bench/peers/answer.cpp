#include "answer.hpp"

#include <algorithm>
#include <functional>

namespace peers {
namespace {

constexpr int most_solves = 20;

// selected = these columns of `all`.
void gather(std::span<const double> all, const std::vector<int>& columns, int rows,
            std::vector<double>& selected) {
  selected.resize(columns.size() * static_cast<std::size_t>(rows));
  auto to = selected.begin();
  for (const int c : columns) to = std::copy_n(all.begin() + std::ptrdiff_t{c} * rows, rows, to);
}

}  // namespace

int Refiner::solve(double goal, std::span<const double> b, std::span<double> x) {
  const auto nrhs = static_cast<int>(b.size() / static_cast<std::size_t>(problem_.rows));
  solve_(nrhs, b.data(), x.data());
  residual_.resize(b.size());
  error_ = residual(problem_, b, x, residual_);
  std::vector<int> wanted;
  for (int c = 0; c < nrhs; ++c) {
    if (!(error_[static_cast<std::size_t>(c)] <= goal)) wanted.push_back(c);
  }
  int solves = 1;
  for (; !wanted.empty() && solves < most_solves; ++solves) wanted = correct(wanted, goal, b, x);
  return solves;
}

std::vector<int> Refiner::correct(const std::vector<int>& columns, double goal, std::span<const double> b,
                                  std::span<double> x) {
  gather(residual_, columns, problem_.rows, r_);
  gather(x, columns, problem_.rows, candidate_);
  gather(b, columns, problem_.rows, b_);
  correction_ = r_;
  solve_(static_cast<int>(columns.size()), r_.data(), correction_.data());
  std::ranges::transform(candidate_, correction_, candidate_.begin(), std::plus<>{});
  next_residual_.resize(r_.size());
  const auto after = residual(problem_, b_, candidate_, next_residual_);
  std::vector<int> again;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const double before = error_[static_cast<std::size_t>(columns[k])];
    if (!(after[k] < before)) continue;
    const auto from = static_cast<std::ptrdiff_t>(k) * problem_.rows;
    const auto to = std::ptrdiff_t{columns[k]} * problem_.rows;
    std::copy_n(candidate_.begin() + from, problem_.rows, x.begin() + to);
    std::copy_n(next_residual_.begin() + from, problem_.rows, residual_.begin() + to);
    error_[static_cast<std::size_t>(columns[k])] = after[k];
    if (after[k] > goal && after[k] < before / 2) again.push_back(columns[k]);
  }
  return again;
}

}  // namespace peers
