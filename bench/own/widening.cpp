// What wider vectors would gain products of packed panels: y += P x with the panel's integers widened eight
// at a time to double precision, as the library does it, and sixteen at a time to single precision (sums over
// a panel's columns in single precision as well, then added to y). Bare loops, without reading heads of
// panels: the time of both that could be gained at most. Columns have 12 to 3 bits, as at eps 1e-3.
//   own_widening [PANELS]

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <vector>

#if !defined(__x86_64__)
int main() {
  fmt::print("own_widening: for x86-64\n");
}
#else
#include <immintrin.h>

namespace {

#define WIDE __attribute__((target("avx512f,avx512bw,avx512dq"), always_inline)) inline
#define WIDE_LOOP __attribute__((target("avx512f,avx512bw,avx512dq"), noinline))

constexpr int most_bits = 16, groups_at_a_time = 4;

// Where integers of so many bits are in the 256 that begin with the first of them.
struct Place {
  alignas(64) std::array<std::uint16_t, 32> word8{}, word16{};
  alignas(64) std::array<std::int64_t, 8> mask8{}, added8{};
  alignas(64) std::array<std::int32_t, 16> right16{}, mask16{}, added16{};
};
std::array<Place, most_bits + 1> places() {
  std::array<Place, most_bits + 1> all{};
  for (int bits = 2; bits <= most_bits; ++bits) {
    Place& p = all[std::size_t(bits)];
    for (std::size_t i = 0; i < 16; ++i) {
      const int word = int(i) * bits / 16, begin = int(i) * bits % 16;
      for (std::size_t k = 0; k < 2; ++k) p.word16[2 * i + k] = std::uint16_t(std::min(word + int(k), 31));
      p.right16[i] = begin;
      p.mask16[i] = (1 << bits) - 1;
      p.added16[i] = 0x4b000000 | 1 << (bits - 1);  // 2^23, and the sign turned over
      if (i >= 8) continue;
      for (std::size_t k = 0; k < 4; ++k) p.word8[4 * i + k] = std::uint16_t(std::min(word + int(k), 31));
      p.mask8[i] = ((std::int64_t{1} << bits) - 1) << begin;
      p.added8[i] = 0x4330000000000000 | std::int64_t{1} << (begin + bits - 1);
    }
  }
  return all;
}
const auto place_of = places();

struct Doubles {
  static constexpr int width = 8;
  using Sum = __m512d;
  __m512i word, mask, added;
  __m512d factor;

  WIDE Doubles(const Place& p, double by)
      : word(_mm512_load_si512(p.word8.data())),
        mask(_mm512_load_si512(p.mask8.data())),
        added(_mm512_load_si512(p.added8.data())),
        factor(_mm512_set1_pd(by)) {}
  WIDE Sum add(Sum sum, const char* at) const {
    const auto bytes = _mm512_castsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)));
    const auto q = _mm512_ternarylogic_epi64(_mm512_permutexvar_epi16(word, bytes), mask, added, 0x6a);
    return _mm512_fmadd_pd(factor, _mm512_sub_pd(_mm512_castsi512_pd(q), _mm512_castsi512_pd(added)), sum);
  }
  static WIDE void store(double* y, Sum sum) { _mm512_storeu_pd(y, _mm512_add_pd(_mm512_loadu_pd(y), sum)); }
};

struct Floats {
  static constexpr int width = 16;
  using Sum = __m512;
  __m512i word, right, mask, added;
  __m512 factor;

  WIDE Floats(const Place& p, double by)
      : word(_mm512_load_si512(p.word16.data())),
        right(_mm512_load_si512(p.right16.data())),
        mask(_mm512_load_si512(p.mask16.data())),
        added(_mm512_load_si512(p.added16.data())),
        factor(_mm512_set1_ps(float(by))) {}
  WIDE Sum add(Sum sum, const char* at) const {
    const auto bytes = _mm512_castsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)));
    const auto there = _mm512_srlv_epi32(_mm512_permutexvar_epi16(word, bytes), right);
    const auto q = _mm512_ternarylogic_epi32(there, mask, added, 0x6a);
    return _mm512_fmadd_ps(factor, _mm512_sub_ps(_mm512_castsi512_ps(q), _mm512_castsi512_ps(added)), sum);
  }
  static WIDE void store(double* y, Sum sum) {
    Doubles::store(y, _mm512_cvtps_pd(_mm512_castps512_ps256(sum)));
    Doubles::store(y + 8, _mm512_cvtps_pd(_mm512_extractf32x8_ps(sum, 1)));
  }
};

struct Shape {
  int rows, cols;
  std::vector<int> bits;  // of each column

  Shape(int r, int c) : rows(r), cols(c) {
    for (int i = 0; i < c; ++i) bits.push_back(12 - 10 * i / c);
  }
  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const int b : bits) sum += std::size_t((rows + 15) / 16 * 2 * b);
    return sum;
  }
};

// In slabs of up to four vectors of rows, whose sums stay in registers.
template <class Wide, int vectors>
WIDE const char* add_slab(const Shape& shape, const char* at, const double* x, double* y) {
  typename Wide::Sum sum[vectors] = {};
  for (int c = 0; c < shape.cols; ++c) {
    const int bits = shape.bits[std::size_t(c)];
    const Wide wide(place_of[std::size_t(bits)], x[c]);
    __builtin_prefetch(at + 8192);
    for (int v = 0; v < vectors; ++v) sum[v] = wide.add(sum[v], at + v * bits * Wide::width / 8);
    at += vectors * bits * Wide::width / 8;
  }
  for (int v = 0; v < vectors; ++v) Wide::store(y + v * Wide::width, sum[v]);
  return at;
}
template <class Wide>
WIDE_LOOP void add_panel(const Shape& shape, const char* at, const double* x, double* y) {
  for (int left = (shape.rows + Wide::width - 1) / Wide::width; left > 0; left -= groups_at_a_time) {
    switch (std::min(left, groups_at_a_time)) {
      case 1:
        at = add_slab<Wide, 1>(shape, at, x, y);
        break;
      case 2:
        at = add_slab<Wide, 2>(shape, at, x, y);
        break;
      case 3:
        at = add_slab<Wide, 3>(shape, at, x, y);
        break;
      default:
        at = add_slab<Wide, 4>(shape, at, x, y);
    }
    y += groups_at_a_time * Wide::width;
  }
}

template <class Wide>
double nanoseconds(const Shape& shape, int panels, const std::vector<char>& memory, std::vector<double>& y) {
  const std::vector<double> x(std::size_t(shape.cols), 1e-3);
  const auto start = std::chrono::steady_clock::now();
  for (int p = 0; p < panels; ++p)
    add_panel<Wide>(shape, memory.data() + std::size_t(p) * shape.bytes(), x.data(), y.data());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / panels * 1e9;
}

}  // namespace

int main(int argc, char** argv) {
  if (!__builtin_cpu_supports("avx512bw") || !__builtin_cpu_supports("avx512dq")) {
    fmt::print("own_widening: this processor has no AVX-512\n");
    return 0;
  }
  const int panels = argc > 1 ? std::atoi(argv[1]) : 100000;
  constexpr int rounds = 15;
  std::vector<double> y(512);
  for (const int rows : {16, 25, 32, 40, 64, 128, 256}) {
    for (const int cols : {5, 10}) {
      const Shape shape(rows, cols);
      const std::vector<char> memory(std::size_t(panels) * shape.bytes() + 65536, 1);
      double eight = 1e9, sixteen = 1e9;
      for (int round = 0; round < rounds; ++round) {
        eight = std::min(eight, nanoseconds<Doubles>(shape, panels, memory, y));
        sixteen = std::min(sixteen, nanoseconds<Floats>(shape, panels, memory, y));
      }
      fmt::print("{:3} rows {:2} columns: {:6.1f} ns a panel by eights, {:6.1f} by sixteens: {:.2f}\n", rows,
                 cols, eight, sixteen, sixteen / eight);
    }
  }
}
#endif
