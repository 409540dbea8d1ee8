#pragma once
// Products of tiles by all lanes of a warp together: C += A B, where A is 8 x 4, B 4 x 8 and C 8 x 8. Each
// lane holds one entry of A, one of B and two of C, as NVIDIA's tensor cores require (PTX ISA 9.0, "Matrix
// Fragments for mma.m8n8k4 with .f64 floating-point type"), which compute the product from sm_80 on. The host
// emulates all lanes, with the same distribution of entries.

#include <type_traits>

#include "trisweep/backend/team.hpp"

namespace trisweep::device {

using namespace backend;

inline constexpr int tile_size = 8;    // rows of A and C, columns of B and C
inline constexpr int tile_depth = 4;   // columns of A, rows of B
inline constexpr int tile_shares = 2;  // entries of C per lane

struct TilePlace {
  int row;
  int column;

  bool operator==(const TilePlace&) const = default;
};

// Entries that a lane holds.
TRISWEEP_DEVICE constexpr TilePlace place_in_a(int lane) {
  return {lane / tile_depth, lane % tile_depth};
}
TRISWEEP_DEVICE constexpr TilePlace place_in_b(int lane) {
  return {lane % tile_depth, lane / tile_depth};
}
TRISWEEP_DEVICE constexpr TilePlace place_in_c(int lane, int share) {
  return {lane / tile_depth, lane % tile_depth * tile_shares + share};
}
// The lane that holds an entry.
constexpr int lane_of_a(TilePlace at) {
  return at.row * tile_depth + at.column;
}
constexpr int lane_of_b(TilePlace at) {
  return at.column * tile_depth + at.row;
}

// A lane's entries of C.
template <class R>
struct TileShares {
  R of[tile_shares]{};
};

inline void multiply_tiles(const HostWarp& warp, HostWarp::Register<TileShares<double>>& c,
                           const HostWarp::Register<double>& a, const HostWarp::Register<double>& b) {
  warp.each([&](int lane) {
    for (int share = 0; share < tile_shares; ++share) {
      const TilePlace at = place_in_c(lane, share);
      for (int k = 0; k < tile_depth; ++k)
        c[usize(lane)].of[share] += a[usize(lane_of_a({at.row, k}))] * b[usize(lane_of_b({k, at.column}))];
    }
  });
}
// By all lanes of a warp of a GPU whose blocks support it (multiplies_tiles).
template <class Warp>
TRISWEEP_DEVICE inline void multiply_tiles(const Warp& warp,
                                           typename Warp::template Register<TileShares<double>>& c,
                                           const typename Warp::template Register<double>& a,
                                           const typename Warp::template Register<double>& b) {
  warp.multiply_add(c.value.of, a.value, b.value);
}

// Accumulates C over several products, in double precision.
template <class Warp, class T>
class TileSum {
 public:
  using Numbers = typename Warp::template Register<T>;

  // `sign` is -1 for conj(A), 1 for A.
  TRISWEEP_DEVICE void add(const Warp& warp, const Numbers& a, const Numbers& b, double /*sign*/) {
    multiply_tiles(warp, sum_, a, b);
  }
  TRISWEEP_DEVICE T at(int lane, int share) const { return sum_[usize(lane)].of[share]; }

 private:
  typename Warp::template Register<TileShares<T>> sum_{};
};

// For complex numbers: four real products.
template <class Warp>
class TileSum<Warp, Complex<double>> {
 public:
  using Numbers = typename Warp::template Register<Complex<double>>;

  TRISWEEP_DEVICE void add(const Warp& warp, const Numbers& a, const Numbers& b, double sign) {
    Reals a_re, a_im, minus_a_im, b_re, b_im;
    warp.each([&](int lane) {
      const std::size_t l = usize(lane);
      a_re[l] = a[l].re;
      a_im[l] = sign * a[l].im;
      minus_a_im[l] = -a_im[l];
      b_re[l] = b[l].re;
      b_im[l] = b[l].im;
    });
    re_.add(warp, a_re, b_re, 1);
    re_.add(warp, minus_a_im, b_im, 1);
    im_.add(warp, a_re, b_im, 1);
    im_.add(warp, a_im, b_re, 1);
  }
  TRISWEEP_DEVICE Complex<double> at(int lane, int share) const {
    return {re_.at(lane, share), im_.at(lane, share)};
  }

 private:
  using Reals = typename Warp::template Register<double>;

  TileSum<Warp, double> re_, im_;
};

}  // namespace trisweep::device
