#include "trisweep/krylov/inner_products.hpp"

#include <array>
#include <cmath>
#include <limits>

namespace trisweep::krylov {
namespace {

// Rows are summed strip by strip, and strips one after the other: no sum depends on who has which strip.
constexpr std::size_t most_strips = 128;
constexpr std::size_t shortest_strip = 512;

std::size_t strip_rows(std::size_t rows) {
  return std::max(shortest_strip, (rows + most_strips - 1) / most_strips);
}

// conjugate(x) y, without the tests of infinities that complex products have.
template <Scalar T>
Sum<T> product(const T& x, const T& y) {
  if constexpr (is_complex<T>) {
    const double a = x.real(), b = x.imag(), c = y.real(), d = y.imag();
    return {a * c + b * d, a * d - b * c};
  } else {
    return double(x) * double(y);
  }
}

// Several sums at once, none of which waits for another.
template <Scalar T>
Sum<T> inner_product(const T* x, const T* y, std::size_t rows) {
  constexpr std::size_t lanes = 8;
  std::array<Sum<T>, lanes> sums{};
  std::size_t i = 0;
  for (; i + lanes <= rows; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += product(x[i + lane], y[i + lane]);
  }
  for (; i < rows; ++i) sums[0] += product(x[i], y[i]);
  for (std::size_t lane = 1; lane < lanes; ++lane) sums[0] += sums[lane];
  return sums[0];
}

template <Scalar T>
double largest_magnitude(const T* first, const T* last) {
  using R = RealOf<T>;
  constexpr std::size_t lanes = 16;
  std::array<R, lanes> largest{};
  std::array<bool, lanes> finite;
  finite.fill(true);
  const auto look = [&](const T& v, std::size_t lane) {
    const R magnitude = std::abs(v);
    largest[lane] = std::max(largest[lane], magnitude);
    finite[lane] &= magnitude <= std::numeric_limits<R>::max();
  };
  for (; last - first >= std::ptrdiff_t{lanes}; first += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) look(first[lane], lane);
  }
  for (; first != last; ++first) look(*first, 0);
  const bool all = std::all_of(finite.begin(), finite.end(), [](bool f) { return f; });
  return all ? double(*std::max_element(largest.begin(), largest.end()))
             : std::numeric_limits<double>::infinity();
}

}  // namespace

template <Scalar T>
std::vector<Sum<T>> inner_products(const transport::Team& team, std::span<const Pair<T>> pairs) {
  PendingProducts<T> products(team.comm, pairs[0].x.rows, pairs[0].x.cols, pairs.size());
  team.crew.run([&](int thread) {
    const Crew::Part mine = team.crew.part(thread, products.strips(), 1);
    for (std::size_t strip = mine.begin; strip < mine.end; ++strip) products.add(strip, pairs);
  });
  products.start(pairs.size());
  const auto sums = products.finish();
  return {sums.begin(), sums.end()};
}

template <Scalar T>
PendingProducts<T>::PendingProducts(const transport::Communicator& comm, Index rows, Index cols,
                                    std::size_t pairs)
    : comm_(comm),
      rows_(usize(rows)),
      columns_(usize(cols)),
      length_(strip_rows(rows_)),
      strips_((rows_ + length_ - 1) / length_),
      by_strip_(strips_ * columns_ * pairs),
      sums_(columns_ * pairs, "inner products") {}

template <Scalar T>
PendingProducts<T>::~PendingProducts() {
  if (request_ != MPI_REQUEST_NULL) sums_.release();
}

template <Scalar T>
Crew::Part PendingProducts<T>::rows_of(std::size_t strip) const {
  return {strip * length_, std::min(rows_, (strip + 1) * length_)};
}

template <Scalar T>
void PendingProducts<T>::add(std::size_t strip, std::span<const Pair<T>> pairs) {
  const auto [begin, end] = rows_of(strip);
  for (std::size_t i = 0; i < pairs.size() * columns_; ++i) {
    const Pair<T>& pair = pairs[i / columns_];
    const auto c = static_cast<Index>(i % columns_);
    by_strip_[strip * pairs.size() * columns_ + i] =
        inner_product(pair.x.column(c) + begin, pair.y.column(c) + begin, end - begin);
  }
}

template <Scalar T>
void PendingProducts<T>::start(std::size_t pairs) {
  products_ = pairs * columns_;
  std::fill_n(sums_.data(), products_, Sum<T>{});
  for (std::size_t i = 0; i < strips_ * products_; ++i) sums_[i % products_] += by_strip_[i];
  constexpr int reals = is_complex<T> ? 2 : 1;
  transport::check(MPI_Iallreduce(MPI_IN_PLACE, sums_.data(), static_cast<int>(products_) * reals, MPI_DOUBLE,
                                  MPI_SUM, comm_.handle(), &request_),
                   "MPI_Iallreduce");
}

template <Scalar T>
void PendingProducts<T>::poll() {
  int done = 0;
  transport::check(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), "MPI_Test");
}

template <Scalar T>
std::span<const Sum<T>> PendingProducts<T>::finish() {
  comm_.finish(request_);
  return {sums_.data(), products_};
}

template <Scalar T>
std::vector<double> norms(const transport::Team& team, Vectors<const T> x) {
  const Pair<T> itself{x, x};
  const auto squares = inner_products<T>(team, {&itself, 1});
  std::vector<double> lengths(squares.size());
  std::ranges::transform(squares, lengths.begin(), [](const Sum<T>& s) { return std::sqrt(std::real(s)); });
  return lengths;
}

template <Scalar T>
std::vector<double> max_norms(const transport::Team& team, Vectors<const T> x) {
  return column_maxima(team, x.rows, x.cols, [&](double& largest, Index c, Crew::Part part) {
    largest = largest_magnitude(x.column(c) + part.begin, x.column(c) + part.end);
  });
}

template <Scalar T>
std::vector<double> max_norms_over(const transport::Team& team, Vectors<const T> x,
                                   std::span<const double> scale) {
  return column_maxima(team, x.rows, x.cols, [&](double& largest, Index c, Crew::Part part) {
    const T* const column = x.column(c);
    for (std::size_t i = part.begin; i < part.end; ++i)
      largest = larger(largest, double(std::abs(column[i])) / scale[i]);
  });
}

double larger(double largest, double candidate) {
  return candidate <= largest ? largest : std::isnan(candidate) ? HUGE_VAL : candidate;
}

#define INSTANTIATE(T)                                                                           \
  template class PendingProducts<T>;                                                             \
  template std::vector<Sum<T>> inner_products(const transport::Team&, std::span<const Pair<T>>); \
  template std::vector<double> norms(const transport::Team&, Vectors<const T>);                  \
  template std::vector<double> max_norms(const transport::Team&, Vectors<const T>);              \
  template std::vector<double> max_norms_over(const transport::Team&, Vectors<const T>,          \
                                              std::span<const double>);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::krylov
