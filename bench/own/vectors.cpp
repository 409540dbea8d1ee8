// Our vectors and our choice of an instruction set against Highway's: products of one panel in the cache.
//   own_vectors [ROUNDS] [ours | highway]    the name: that one alone, such as to count its instructions

#include <cmath>

#include "compare.hpp"
#include "highway_products.hpp"
#include "trisweep/core/buffer.hpp"

namespace {

using trisweep::Buffer;
using trisweep::Index;
using trisweep::usize;
using trisweep::kernels::Panel;
using trisweep::kernels::Work;
using ProductFunction = void (*)(const Panel<double>&, Index, const Work<double>&);

// A panel whose rows are every third of the work rows behind its columns.
struct Problem {
  Problem(Index height, Index width, Index columns)
      : nrhs(columns),
        value(trisweep::zeros<double>(usize(height) * usize(width), "a panel")),
        position(usize(height)),
        row(trisweep::zeros<double>((usize(width) + 3 * usize(height)) * usize(nrhs), "work rows")),
        scratch(trisweep::zeros<double>(trisweep::kernels::scratch_size(width, nrhs), "scratch")),
        panel{value.data(), position.data(), height, width, 0, height, false} {
    for (Index i = 0; i < height; ++i) position[usize(i)] = width + 3 * i;
    fill();
  }
  // Values so small that repeating a product does not overflow.
  void fill() {
    for (std::size_t i = 0; i < value.size(); ++i) value[i] = 1e-6 * std::sin(double(i));
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = std::cos(double(i));
  }
  Work<double> work() { return {row.data(), scratch.data(), nrhs}; }

  Index nrhs;
  Buffer<double> value;
  std::vector<Index> position;
  Buffer<double> row;
  Buffer<double> scratch;
  Panel<double> panel;
};

std::vector<double> result(Problem& problem, ProductFunction product) {
  problem.fill();
  product(problem.panel, 0, problem.work());
  return {problem.row.data(), problem.row.data() + problem.row.size()};
}

void check(Problem& problem, ProductFunction ours, ProductFunction theirs) {
  const auto x = result(problem, ours);
  const auto y = result(problem, theirs);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::abs(x[i] - y[i]) <= 1e-15) continue;
    fmt::print("row number {}: {} and {}\n", i, x[i], y[i]);
    std::exit(1);
  }
}

void compare_product(const std::string& title, Problem& problem, ProductFunction ours, ProductFunction theirs,
                     int rounds, const std::string& only) {
  check(problem, ours, theirs);
  std::vector<own::Candidate> candidates;
  for (const auto& [name, product] : {std::pair{"ours", ours}, std::pair{"highway", theirs}}) {
    if (only.empty() || only == name)
      candidates.push_back(
          {name, [&problem, product = product] { product(problem.panel, 0, problem.work()); }});
  }
  const auto& [height, width] = std::pair{problem.panel.height, problem.panel.width};
  own::compare(fmt::format("{} {}x{}, {} columns", title, height, width, problem.nrhs), candidates,
               {.rounds = rounds, .calls = 2'000'000 / (height * width * problem.nrhs) + 1});
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 200;
  const std::string only = argc > 2 ? argv[2] : "";
  for (const auto& [height, width] : {std::pair{16, 8}, {32, 16}, {64, 64}, {256, 48}}) {
    for (const Index nrhs : {1, 16, 50}) {
      Problem problem(height, width, nrhs);
      compare_product("scatter", problem, trisweep::kernels::scatter_product<double>,
                      own::highway::scatter_product, rounds, only);
      if (nrhs > 1) continue;
      compare_product("gather", problem, trisweep::kernels::gather_product<double>,
                      own::highway::gather_product, rounds, only);
    }
  }
}
