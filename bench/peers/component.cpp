// Component-level solves by Trisweep and by MKL's mkl_sparse_d_trsv, alternating in one process:
//
//   peer_component MATRIX --json OUT [--library libmkl_rt.so] [--threads T] [--rounds R] [--repeats R]
//     [--algorithm A] [--solves N] [--analyses N] [--lower L.mtx]
//
// For a matrix that is not triangular, uses the L of its ILU(0), or if that does not exist, its lower
// triangle; --lower writes this triangle for others to read. In each round the read bandwidth is measured
// before and after. A solver's time in a round is the median of its solves, one after another.

#include <dlfcn.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "floor.hpp"
#include "lower_triangle.hpp"
#include "trisweep/core/clock.hpp"
#include "trisweep/core/observer.hpp"
#include "trisweep/matrix/io.hpp"
#include "trisweep/sptrsv/backward_error.hpp"
#include "trisweep/sptrsv/row_solver.hpp"
#include "trisweep/sptrsv/shape.hpp"

namespace peers {
namespace {

using namespace trisweep;
using Json = nlohmann::json;
using Matrix = matrix::Csr<double>;

struct Options {
  std::string file, json, lower, library, algorithm = "auto";
  int threads = 1, rounds = 3, repeats = 10, solves = 1000, analyses = 1;
};

// Declarations of mkl_spblas.h, for 32-bit integers.
class Mkl {
 public:
  Mkl(const std::string& file, Matrix a, int threads) : a_(std::move(a)) {
    const auto folder = file.substr(0, file.rfind('/'));
    dlopen((folder + "/libiomp5.so").c_str(), RTLD_NOW | RTLD_GLOBAL);
    library_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (library_ == nullptr) throw std::runtime_error(dlerror());
    find<void(int)>("MKL_Set_Num_Threads")(threads);
    solve_ = find<Solve>("mkl_sparse_d_trsv");
    row_ptr_.assign(a_.pattern.row_ptr.begin(), a_.pattern.row_ptr.end());
  }

  double analyze() {
    const auto start = Clock::now();
    require(find<int(void**, int, int, int, int*, int*, int*, double*)>("mkl_sparse_d_create_csr")(
        &handle_, 0, a_.rows(), a_.rows(), row_ptr_.data(), row_ptr_.data() + 1, a_.pattern.col.data(),
        a_.value.data()));
    require(find<int(void*, int, Description, int)>("mkl_sparse_set_sv_hint")(handle_, untransposed, lower,
                                                                              1000));
    require(find<int(void*)>("mkl_sparse_optimize")(handle_));
    return seconds_since(start);
  }

  void solve(const double* b, double* x) { require(solve_(untransposed, 1, handle_, lower, b, x)); }

 private:
  struct Description {
    int type, mode, diagonal;
  };
  using Solve = int(int, double, void*, Description, const double*, double*);
  static constexpr int untransposed = 10;
  static constexpr Description lower{.type = 23, .mode = 40, .diagonal = 50};  // triangular, lower, not unit

  template <class Function>
  Function* find(const char* name) {
    auto* found = reinterpret_cast<Function*>(dlsym(library_, name));
    if (found == nullptr) throw std::runtime_error(dlerror());
    return found;
  }
  static void require(int status) {
    if (status != 0) throw std::runtime_error("MKL: status " + std::to_string(status));
  }

  Matrix a_;
  std::vector<int> row_ptr_;
  void* library_ = nullptr;
  void* handle_ = nullptr;
  Solve* solve_ = nullptr;
};

template <class Work>
double median_of(int repeats, const Work& work) {
  work();
  std::vector<double> seconds;
  for (int r = 0; r < repeats; ++r) {
    const auto start = Clock::now();
    work();
    seconds.push_back(seconds_since(start));
  }
  std::ranges::nth_element(seconds, seconds.begin() + repeats / 2);
  return seconds[usize(repeats / 2)];
}

// Seconds from the matrix to the first solution, for several solvers, one after another.
std::vector<double> first_solutions(const Matrix& a, const sptrsv::RowSolverOptions& options, int analyses,
                                    const std::vector<double>& b, std::vector<double>& x) {
  std::vector<double> seconds;
  for (int r = 0; r < analyses; ++r) {
    Matrix given = a;
    const auto start = Clock::now();
    sptrsv::RowSolver<double>(std::move(given), {}, options).solve(b, x);
    seconds.push_back(seconds_since(start));
  }
  return seconds;
}

Json run(const Options& o) {
  Observer silent;
  const Matrix a = bench::lower_of(std::get<Matrix>(matrix::read_matrix(o.file, silent)));
  if (!o.lower.empty()) {
    OutputFile file(o.lower);
    matrix::write_matrix_market(file, a);
    file.commit();
  }
  std::mt19937_64 random(1);
  std::vector<double> b(usize(a.rows())), x(b.size()), y(b.size());
  for (double& value : b) value = 1 + double(random() % 1000) / 1000;

  const sptrsv::RowSolverOptions options{.algorithm = o.algorithm, .threads = o.threads, .solves = o.solves};
  const auto first_solution = Json(first_solutions(a, options, o.analyses, b, x));
  sptrsv::RowSolver<double> ours(a, {}, options);
  const auto start = Clock::now();
  ours.prepare(Op::none);
  const double analysis = seconds_since(start);
  const auto& choice = ours.choice(Op::none);
  const auto system = sptrsv::lower_system(a, {}, Op::none);
  const auto shape = sptrsv::shape_of(system.below);
  Json record{{"rows", a.rows()},
              {"nonzeros", a.nonzeros()},
              {"levels", shape.levels},
              {"bytes", sptrsv::bytes_of_solve(a)},
              {"threads", o.threads},
              {"ours",
               {{"algorithm", choice.algorithm},
                {"reason", choice.reason},
                {"analysis_seconds", analysis},
                {"first_solution_seconds", first_solution},
                {"seconds", Json::array()}}}};
  std::optional<Mkl> mkl;
  if (!o.library.empty()) {
    mkl.emplace(o.library, a, o.threads);
    record["mkl"] = {{"analysis_seconds", mkl->analyze()}, {"seconds", Json::array()}};
  }
  ReadBandwidth bandwidth(MPI_COMM_WORLD, o.threads, std::size_t{256} << 20);
  record["read_bandwidth"] = {bandwidth.measure()};
  for (int round = 0; round < o.rounds; ++round) {
    record["ours"]["seconds"] += median_of(o.repeats, [&] { ours.solve(b, x); });
    if (mkl) record["mkl"]["seconds"] += median_of(o.repeats, [&] { mkl->solve(b.data(), y.data()); });
    record["read_bandwidth"] += bandwidth.measure();
  }
  const auto rows = static_cast<Index>(x.size());
  const auto error_of = [&](const std::vector<double>& solution) {
    return sptrsv::backward_error<double>(system, {b.data(), rows, 1}, {solution.data(), rows, 1});
  };
  record["ours"]["componentwise_backward_error"] = error_of(x);
  if (mkl) record["mkl"]["componentwise_backward_error"] = error_of(y);
  return record;
}

int start(int argc, char** argv) {
  Options o;
  CLI::App app("Times component-level triangular solves");
  app.add_option("matrix", o.file)->required();
  app.add_option("--json", o.json)->required();
  app.add_option("--lower", o.lower);
  app.add_option("--library", o.library);
  app.add_option("--algorithm", o.algorithm);
  app.add_option("--threads", o.threads)->check(CLI::PositiveNumber);
  app.add_option("--solves", o.solves)->check(CLI::PositiveNumber);
  app.add_option("--analyses", o.analyses)->check(CLI::PositiveNumber);
  app.add_option("--rounds", o.rounds)->check(CLI::PositiveNumber);
  app.add_option("--repeats", o.repeats)->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  std::ofstream(o.json) << run(o);
  return 0;
}

}  // namespace
}  // namespace peers

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = 2;
  try {
    status = peers::start(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
  }
  MPI_Finalize();
  return status;
}
