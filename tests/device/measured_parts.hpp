#pragma once
// A matrix dealt out by rows, and the programs that measure answers to its systems.

#include <numeric>

#include "support/random_matrix.hpp"
#include "trisweep/device/make_program.hpp"
#include "trisweep/device/residual.hpp"
#include "trisweep/distribution/row_partition.hpp"

namespace trisweep::testing_support {

// One PE's rows, whose columns are its own rows and then those of others, and what it measures with.
template <Scalar T>
struct MeasuredPart {
  std::vector<Offset> row_ptr{0};
  std::vector<Index> col;
  std::vector<T> value;
  std::vector<Index> ghosts;
  std::vector<RealOf<T>> plain, scaled;
  std::vector<double> unknowns;
  std::vector<T> residual;
  std::vector<RealOf<T>> magnitude;
  plan::VectorPhase columns{.way = plan::VectorWay::in};
};

template <Scalar T>
RealOf<T> size_of(const T& v) {
  if constexpr (is_complex<T>) {
    return std::abs(v.real()) + std::abs(v.imag());
  } else {
    return std::abs(v);
  }
}

template <Scalar T>
struct MeasuredParts {
  matrix::Csr<T> a;
  distribution::RowPartition partition;
  std::vector<MeasuredPart<T>> part;
  std::vector<device::Program> programs;
  static constexpr double acceptable =
      0.3;  // which tells a tiny unknown's quotient of 1 from those of all others

  MeasuredParts(const matrix::Csr<T>& whole, Index pes, Index nrhs)
      : a(whole), partition(distribution::even_partition(a.rows(), pes)), part(usize(pes)) {
    for (Index p = 0; p < pes; ++p) take_rows(p, nrhs);
    for (Index p = 0; p < pes; ++p) {
      for (const plan::VectorMessage& m : part[usize(p)].columns.received) {
        std::vector<Index> owned;
        for (const Index column : m.row)
          owned.push_back(part[usize(p)].ghosts[usize(column - partition.count(p))] -
                          partition.first(m.rank.value()));
        part[usize(m.rank.value())].columns.sent.push_back({plan::RankId(p), owned});
      }
    }
    for (Index p = 0; p < pes; ++p)
      programs.push_back(device::make_residual_program(p, pes, part[usize(p)].columns, partition.count(p)));
    device::connect(programs);
  }

  device::ResidualSystem<T> measuring(Index p) {
    MeasuredPart<T>& of = part[usize(p)];
    return {of.row_ptr,         of.col,      of.value, false,      of.plain,
            of.scaled,          of.unknowns, 1e-12,    acceptable, of.residual.data(),
            of.magnitude.data()};
  }

  // What they find, one right-hand side after the other, each from the first kind to the last.
  std::vector<double> expected(const std::vector<T>& x, const std::vector<T>& b, Index nrhs) const {
    std::vector<double> found;
    for (Index c = 0; c < nrhs; ++c) {
      const auto at = [&](const std::vector<T>& v, Index i) {
        return v[usize(i) + usize(c) * usize(a.rows())];
      };
      std::array<double, 7> largest{};
      const auto raise = [&](std::size_t kind, double value) {
        largest[kind] = std::max(largest[kind], value);
      };
      std::vector<double> residual, size;
      for (Index i = 0; i < a.rows(); ++i) {
        T sum{};
        double terms = size_of(at(b, i));
        for (const Offset e : a.pattern.entries(i)) {
          sum += a.value[usize(e)] * at(x, a.pattern.col[usize(e)]);
          terms += double(size_of(a.value[usize(e)])) * double(size_of(at(x, a.pattern.col[usize(e)])));
        }
        const T r = at(b, i) - sum;
        residual.push_back(double(size_of(r)));
        size.push_back(terms);
        raise(0, residual.back() / terms);
        raise(1, size_of(at(x, i)));
        raise(2, double(size_of(at(x, i))) / (1 + i % 3));
        raise(3, size_of(r));
        raise(4, size_of(at(b, i)));
      }
      for (Index i = 0; i < a.rows(); ++i) {
        const double typical = std::min((2 + i % 2) * largest[1], 3 * largest[2]);
        const double own = size[usize(i)], r = residual[usize(i)];
        raise(5, r / (own + (own > 1e-12 * typical ? 0 : typical)));
        if (r > acceptable * own) raise(6, r / typical);
      }
      found.insert(found.end(), largest.begin(), largest.end());
    }
    return found;
  }

 private:
  void take_rows(Index p, Index nrhs) {
    MeasuredPart<T>& of = part[usize(p)];
    const Index first = partition.first(p), rows = partition.count(p);
    const auto begin = a.pattern.row_ptr[usize(first)], end = a.pattern.row_ptr[usize(first + rows)];
    of.value.assign(a.value.begin() + begin, a.value.begin() + end);
    of.col.assign(a.pattern.col.begin() + begin, a.pattern.col.begin() + end);
    const auto own = [&](Index j) { return first <= j && j < first + rows; };
    for (const Index j : of.col)
      if (!own(j)) of.ghosts.push_back(j);
    std::ranges::sort(of.ghosts);
    of.ghosts.erase(std::unique(of.ghosts.begin(), of.ghosts.end()), of.ghosts.end());
    for (Index& j : of.col)
      j = own(j) ? j - first
                 : rows + static_cast<Index>(std::ranges::lower_bound(of.ghosts, j) - of.ghosts.begin());
    for (Index i = 0; i < rows; ++i) {
      of.row_ptr.push_back(a.pattern.row_ptr[usize(first + i + 1)] - begin);
      of.columns.caller.push_back(i);
      of.columns.work.emplace_back(i);
      of.plain.push_back(RealOf<T>(2 + (first + i) % 2));
      of.scaled.push_back(3);
      of.unknowns.push_back(1 + (first + i) % 3);
    }
    for (std::size_t g = 0; g < of.ghosts.size(); ++g) {
      const plan::RankId owner(partition.owner(of.ghosts[g]));
      if (of.columns.received.empty() || of.columns.received.back().rank != owner)
        of.columns.received.push_back({owner, {}});
      of.columns.received.back().row.push_back(rows + static_cast<Index>(g));
    }
    of.residual.resize(usize(rows) * usize(nrhs));
    of.magnitude.resize(of.residual.size());
  }
};

}  // namespace trisweep::testing_support
