// Solves on one rank and one thread, for valgrind's callgrind to count: sweeps_test.py runs this. The
// instructions of each solve, and nothing else, go into a dump of their own, named by the solve. Printed are,
// for each matrix: the bytes of panels that a solve reads, by its plan; those that it has to, by the factors;
// those of its lists.
//
// Alone, the program just solves.

#include <fmt/format.h>
#include <mpi.h>
#include <valgrind/callgrind.h>

#include <algorithm>
#include <array>

#include "gallery/gallery.hpp"
#include "trisweep/numeric/blas_threads.hpp"
#include "trisweep/solve/triangular_solver.hpp"

namespace {

using namespace trisweep;

// Numbers the points of a box of an n x n x n (or n x n) grid by nested dissection with planes. METIS would
// number them in another way in another version.
class Dissection {
 public:
  Dissection(Index n, Index depth) : n_(n), new_(usize(n) * usize(n) * usize(depth)) {
    number({{{0, n}, {0, n}, {0, depth}}});
  }
  std::span<const Index> new_of() const { return new_; }

 private:
  struct Range {
    Index begin, end;
    Index size() const { return end - begin; }
  };
  using Box = std::array<Range, 3>;

  void number(const Box& box) {
    const auto longest = static_cast<std::size_t>(
        std::max_element(box.begin(), box.end(),
                         [](const Range& a, const Range& b) { return a.size() < b.size(); }) -
        box.begin());
    const Range side = box[longest];
    if (side.size() == 0) return;
    if (side.size() <= 3) return number_points(box);
    const Index middle = (side.begin + side.end) / 2;
    for (const Range part :
         {Range{side.begin, middle}, Range{middle + 1, side.end}, Range{middle, middle + 1}}) {
      Box inner = box;
      inner[longest] = part;
      if (part.size() == 1) {
        number_points(inner);
      } else {
        number(inner);
      }
    }
  }

  void number_points(const Box& box) {
    for (Index z = box[2].begin; z < box[2].end; ++z) {
      for (Index y = box[1].begin; y < box[1].end; ++y) {
        for (Index x = box[0].begin; x < box[0].end; ++x) new_[usize(x + n_ * (y + n_ * z))] = next_++;
      }
    }
  }

  Index n_;
  Index next_ = 0;
  std::vector<Index> new_;
};

struct Problem {
  const char* matrix;
  Index n;
  Index depth;  // n, or 1 in two dimensions
  numeric::Kind kind_of_factors;
};
constexpr Problem problems[] = {{"s2d9", 64, 1, numeric::Kind::cholesky},
                                {"convection3d", 12, 12, numeric::Kind::lu}};
constexpr Index counts[] = {1, 4, 50};  // of right-hand sides

using Factorization = solve::Factorization<double>;
using Solver = solve::TriangularSolver<double>;

Factorization factored(const Problem& problem) {
  const auto a = std::get<matrix::Csr<double>>(gallery::make_matrix(problem.matrix, {.n = problem.n}));
  const Dissection order(problem.n, problem.depth);
  const std::vector<double> one(usize(a.rows()), 1.0);
  const auto dissected = matrix::permuted_and_scaled<double>(a, order.new_of(), order.new_of(), one, one);
  const solve::AnalysisOptions options{
      .ordering = {.method = ordering::Method::natural, .matching = false, .equilibrate = false},
      .symbolic = {}};
  auto analysis = std::make_shared<const solve::Analysis>(
      solve::analyze_as(problem.kind_of_factors, dissected, options, silent_observer()));
  return solve::factor<double>(dissected, std::move(analysis));
}

// The panels, the rows' positions and the row blocks that one solve reads.
struct BytesRead {
  std::size_t panels = 0;
  std::size_t lists = 0;

  void add(const std::vector<plan::RowBlock>& row_blocks) {
    for (const plan::RowBlock& row_block : row_blocks) {
      const Index rows = row_block.row_end - row_block.row_begin;
      panels += usize(rows) * usize(row_block.width) * sizeof(double);
      lists += usize(rows) * sizeof(Index) + sizeof(row_block);
    }
  }
};

BytesRead bytes_read(const Solver& solver) {
  BytesRead bytes;
  for (const plan::Phase& phase : solver.plan(Op::none).phase) {
    if (const auto* sweep = std::get_if<plan::SweepPhase>(&phase)) bytes.add(sweep->row_block);
    if (const auto* diagonal = std::get_if<plan::DiagonalPhase>(&phase)) bytes.add(diagonal->row_block);
  }
  return bytes;
}

// Each factor once per sweep: Cholesky has one for both.
std::size_t bytes_needed(const numeric::Factors<double>& factors) {
  const bool cholesky = factors.kind == numeric::Kind::cholesky;
  return factors.bytes() + (cholesky ? factors.lower.size() * sizeof(double) : 0);
}

void count_solve(Solver& solver, const std::string& name, Index nrhs) {
  const Index rows = solver.partition().count(0);
  std::vector<double> x(usize(rows) * usize(nrhs), 1.0);
  CALLGRIND_TOGGLE_COLLECT;
  solver.solve(Op::none, {x.data(), rows, nrhs}, {x.data(), rows, nrhs});
  CALLGRIND_TOGGLE_COLLECT;
  CALLGRIND_DUMP_STATS_AT(name.c_str());
}

// The first solve, in which symbols are bound, has a dump that is not read.
void count_solves(const Problem& problem) {
  const std::string name = fmt::format("{}:{}", problem.matrix, problem.n);
  const auto factorization = std::make_shared<const Factorization>(factored(problem));
  Solver solver(MPI_COMM_WORLD, factorization, {.grid = {1, 1, 1}});
  solver.prepare(Op::none, *std::max_element(std::begin(counts), std::end(counts)));
  CALLGRIND_START_INSTRUMENTATION;
  count_solve(solver, "warm-up", 1);
  for (const Index nrhs : counts) count_solve(solver, fmt::format("{} nrhs {}", name, nrhs), nrhs);
  CALLGRIND_STOP_INSTRUMENTATION;
  const BytesRead bytes = bytes_read(solver);
  fmt::print("{} {} {} {}\n", name, bytes.panels, bytes_needed(*factorization->factors), bytes.lists);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const numeric::OneBlasThread one_blas_thread;
  for (const Problem& problem : problems) count_solves(problem);
  MPI_Finalize();
}
