// Tiles in low rank by our QR with column pivoting, which ends where the rest is small, against LAPACK's
// xGEQP3, which factors all of a tile, and xORGQR for as many columns as are wanted.
//   own_rank_revealing [ROUNDS]

#include "trisweep/compression/rank_revealing.hpp"

#include <cmath>
#include <cstdlib>

#include "compare.hpp"
#include "trisweep/compression/gram_schmidt.hpp"

extern "C" {
void dgeqp3_(const int* m, const int* n, double* a, const int* lda, int* jpvt, double* tau, double* work,
             const int* lwork, int* info);
void dorgqr_(const int* m, const int* n, const int* k, double* a, const int* lda, const double* tau,
             double* work, const int* lwork, int* info);
}

namespace {

namespace compression = trisweep::compression;
using trisweep::Index;
using trisweep::usize;

// 1/r between points on two lines, side by side: what remains after elimination looks like it.
std::vector<double> tile(Index n, double distance) {
  std::vector<double> a(usize(n) * usize(n));
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i)
      a[usize(j) * usize(n) + usize(i)] = 1 / std::hypot(distance, double(i - j) / n);
  }
  return a;
}

double norm(const std::vector<double>& a) {
  double squared = 0;
  for (const double v : a) squared += v * v;
  return std::sqrt(squared);
}

// Returns the rank; Q and R are in `a`, or Q alone.
Index by_lapack(std::vector<double>& a, int n, double allowed) {
  static std::vector<double> tau, work;
  static std::vector<int> pivot;
  tau.resize(usize(n));
  work.resize(usize(n) * 64);
  pivot.assign(usize(n), 0);
  const int room = static_cast<int>(work.size());
  int info = 0;
  dgeqp3_(&n, &n, a.data(), &n, pivot.data(), tau.data(), work.data(), &room, &info);
  double rest = 0;
  int rank = n;
  while (rank > 0) {
    for (int j = rank - 1; j < n; ++j) rest += std::pow(a[usize(j) * usize(n) + usize(rank - 1)], 2);
    if (std::sqrt(rest) > allowed) break;
    --rank;
  }
  dorgqr_(&n, &rank, &rank, a.data(), &n, tau.data(), work.data(), &room, &info);
  return rank;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 20;
  for (const Index n : {32, 64, 128}) {
    for (const double distance : {0.1, 1.0}) {
      const std::vector<double> whole = tile(n, distance);
      const double allowed = 1e-8 * norm(whole);
      std::vector<double> room(whole);
      Index ours = 0, theirs = 0;
      const auto our_rank = [&] {
        room = whole;
        const trisweep::numeric::View<double> view{room.data(), n, n, n};
        const auto found = compression::rank_revealing(view, n, {allowed, n});
        ours = found ? found->rank : n;
      };
      const auto their_rank = [&] {
        room = whole;
        theirs = by_lapack(room, n, allowed);
      };
      our_rank();
      their_rank();
      own::compare(fmt::format("{} x {}, rank {} and {}", n, n, ours, theirs),
                   {{"ours", our_rank}, {"xGEQP3", their_rank}}, {.rounds = rounds, .times = 5, .calls = 10});
    }
  }
}
