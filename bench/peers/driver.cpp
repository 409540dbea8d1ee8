// The common protocol of all peers:
//
//   peer_NAME SYSTEM --json OUT [--nrhs 1,50] [--repeats R] [--threads T] [--grid PXxPYxPZ]
//     [--mapping M] [--library FILE] [--compress EPS] [--refine E] [--answers] [--own-refinement]
//
// factors the system in a file of peer_prepare once, then times solves. Before the first and after every
// solve the same process measures the read bandwidth, and for many right-hand sides also the rate of dgemm,
// so that each solve can be compared with its bounds. With --refine a solve is refined, in the same way for
// all peers (answer.hpp), until its componentwise backward error is E or no longer halves. With --answers
// everything is as for a user of the peer: its own order, scaling and pivots, one solve directly after the
// other, without bounds; the first solution and refactorizations are timed, too. Prints nothing; the record
// contains all results. Exit status 0; 2 with a message if the peer cannot do it.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>

#include "answer.hpp"
#include "floor.hpp"
#include "peer.hpp"

namespace peers {
namespace {

using Json = nlohmann::json;

constexpr std::size_t read_bytes = std::size_t{256} << 20;  // far more than a cache
constexpr double answering_seconds = 0.2;                   // smallest total time of repeated solves
constexpr int most_answers = 1000;
constexpr int many = 8;  // right-hand sides from which on products, not reads, are the bound

struct Options {
  std::string system, json;
  std::vector<int> nrhs{1, 50};
  int repeats = 5;
  double refine = 0;     // the componentwise backward error; 0: solves are not refined
  bool answers = false;  // as for a user of the peer
  Settings settings;
};

Options parse(int argc, char** argv) {
  Options o;
  std::string grid = "1x1x1";
  CLI::App app("Times the solves of one solver");
  app.add_option("system", o.system)->required();
  app.add_option("--json", o.json)->required();
  app.add_option("--nrhs", o.nrhs)->delimiter(',');
  app.add_option("--repeats", o.repeats)->check(CLI::PositiveNumber);
  app.add_option("--threads", o.settings.threads)->check(CLI::PositiveNumber);
  app.add_option("--grid", grid);
  app.add_option("--mapping", o.settings.mapping);
  app.add_option("--library", o.settings.library);
  app.add_option("--compress", o.settings.compress)->check(CLI::PositiveNumber);
  app.add_option("--refine", o.refine)->check(CLI::PositiveNumber);
  app.add_flag("--answers", o.answers);
  app.add_flag("--own-refinement", o.settings.own_refinement);
  app.parse(argc, argv);
  Settings& s = o.settings;
  s.nrhs = o.nrhs.front();
  s.own_order = o.answers;
  if (std::sscanf(grid.c_str(), "%dx%dx%d", &s.px, &s.py, &s.pz) != 3)
    throw std::runtime_error("no grid: " + grid);
  if ((o.refine > 0 || o.answers) && s.px * s.py * s.pz > 1)
    throw std::runtime_error("--refine and --answers are for one rank");
  return o;
}

// Value, in bytes, of a line in a file of /proc/self.
double proc_bytes(const char* file, const std::string& key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(key + ":")) return std::stod(line.substr(key.size() + 1)) * 1024;
  }
  return 0;
}

double sum_over_ranks(double value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return value;
}

// Right-hand sides A times random columns, the same on all ranks.
std::vector<double> made_up_rhs(const Problem& p, int nrhs) {
  const auto n = static_cast<std::size_t>(p.rows);
  std::vector<double> x(n), b(n * static_cast<std::size_t>(nrhs));
  std::mt19937 random(1);
  for (int c = 0; c < nrhs; ++c) {
    for (double& v : x) v = 1.0 + std::ldexp(double(random()), -32);
    multiply(p, x.data(), b.data() + n * static_cast<std::size_t>(c));
  }
  return b;
}

// The rows of this rank, and (whole_of) back.
std::vector<double> local_part(const Peer& peer, const std::vector<double>& whole, int rows, int nrhs) {
  std::vector<double> part;
  for (int c = 0; c < nrhs; ++c) {
    const auto first = whole.begin() + std::ptrdiff_t{c} * rows + peer.first_row();
    part.insert(part.end(), first, first + peer.local_rows());
  }
  return part;
}

std::vector<double> whole_of(const Peer& peer, const std::vector<double>& part, int rows, int nrhs) {
  std::vector<double> whole(static_cast<std::size_t>(rows) * static_cast<std::size_t>(nrhs));
  for (int c = 0; c < nrhs; ++c) {
    std::copy_n(part.begin() + std::ptrdiff_t{c} * peer.local_rows(), peer.local_rows(),
                whole.begin() + std::ptrdiff_t{c} * rows + peer.first_row());
  }
  MPI_Allreduce(MPI_IN_PLACE, whole.data(), static_cast<int>(whole.size()), MPI_DOUBLE, MPI_SUM,
                MPI_COMM_WORLD);
  return whole;
}

class Run {
 public:
  Run(const Problem& problem, const Options& options)
      : problem_(problem),
        options_(options),
        peer_(make_peer(problem, options.settings)),
        refiner_(problem, [this](int nrhs, const double* b, double* x) { peer_->solve(nrhs, b, x); }) {}

  Json record() {
    Json r{{"threads", options_.settings.threads}, {"factor", factor()}, {"solves", Json::array()}};
    if (options_.answers) {
      for (const int nrhs : options_.nrhs) r["solves"].push_back(answers(nrhs));
      r["factor"]["refactor_seconds"] = refactorizations();
    } else {
      ReadBandwidth bandwidth(MPI_COMM_WORLD, options_.settings.threads, read_bytes);
      ProductRate products(MPI_COMM_WORLD, options_.settings.threads);
      for (const int nrhs : options_.nrhs) r["solves"].push_back(solves(nrhs, bandwidth, products));
    }
    describe(r);
    r["huge_page_bytes"] = sum_over_ranks(proc_bytes("/proc/self/smaps_rollup", "AnonHugePages"));
    r["resident_bytes"] = sum_over_ranks(proc_bytes("/proc/self/status", "VmRSS"));
    return r;
  }

 private:
  // Memory: the growth of the process beyond the system itself.
  Json factor() {
    const double before = proc_bytes("/proc/self/status", "VmRSS");
    const double analysis = revoke_on_error(MPI_COMM_WORLD, [&] { peer_->analyze(); });
    const double seconds = revoke_on_error(MPI_COMM_WORLD, [&] { peer_->factor(); });
    const double peak = proc_bytes("/proc/self/status", "VmHWM") - before;
    const double numeric = peer_->facts().numeric_seconds;
    const double rest = numeric > 0 ? seconds - numeric : 0;
    return {{"analysis_seconds", analysis + rest},
            {"seconds", seconds - rest},
            {"peak_bytes", sum_over_ranks(peak)}};
  }

  void describe(Json& r) const {
    const Facts facts = peer_->facts();
    r["version"] = facts.version;
    r["kind"] = facts.kind;
    r["ordering"] = facts.ordering;
    r["factor"]["entries_swept"] = facts.entries_swept;
  }

  Json refactorizations() {
    Json seconds = Json::array();
    for (int r = 0; r < options_.repeats; ++r)
      seconds.push_back(revoke_on_error(MPI_COMM_WORLD, [&] { peer_->refactor(); }));
    return seconds;
  }

  Json answers(int nrhs) {
    const auto b = made_up_rhs(problem_, nrhs);
    auto x = b;
    const auto answer = [&] {
      x = b;
      return revoke_on_error(MPI_COMM_WORLD, [&] { solve(nrhs, b, x); });
    };
    Json result{{"nrhs", nrhs}, {"first_seconds", answer()}};
    std::vector<double> seconds;
    for (double spent = 0; seconds.size() < most_answers &&
                           (spent < answering_seconds || std::ssize(seconds) < options_.repeats);
         spent += seconds.back())
      seconds.push_back(answer());
    std::vector<double> r(b.size());
    const auto error = residual(problem_, b, x, r);
    result["seconds"] = seconds;
    result["passes"] = passes();
    result["backward_error"] = *std::ranges::max_element(error);  // componentwise
    result["refused"] = peer_->facts().refused;
    return result;
  }

  Json solves(int nrhs, ReadBandwidth& bandwidth, ProductRate& products) {
    const auto b = made_up_rhs(problem_, nrhs);
    const auto b_rows = local_part(*peer_, b, problem_.rows, nrhs);
    auto x_rows = b_rows;
    solve(nrhs, b_rows, x_rows);  // includes one-time setup
    std::vector<double> seconds, read{bandwidth.measure()}, rate;
    if (nrhs >= many) rate.push_back(products.measure());
    for (int r = 0; r < options_.repeats; ++r) {
      x_rows = b_rows;
      seconds.push_back(revoke_on_error(MPI_COMM_WORLD, [&] { solve(nrhs, b_rows, x_rows); }));
      read.push_back(bandwidth.measure());
      if (nrhs >= many) rate.push_back(products.measure());
    }
    const double error = backward_error(problem_, nrhs, whole_of(*peer_, x_rows, problem_.rows, nrhs), b);
    return {{"nrhs", nrhs},         {"seconds", seconds}, {"read_bandwidth", read},
            {"product_rate", rate}, {"passes", passes()}, {"backward_error", error}};
  }

  void solve(int nrhs, const std::vector<double>& b, std::vector<double>& x) {
    passes_ = 1;
    if (options_.refine > 0 && !peer_->refines())
      passes_ = refiner_.solve(options_.refine, b, x);
    else
      peer_->solve(nrhs, b.data(), x.data());
  }

  // Number of passes through the factors in the last solve.
  int passes() const { return passes_ + peer_->facts().corrections; }

  const Problem& problem_;
  const Options& options_;
  std::unique_ptr<Peer> peer_;
  Refiner refiner_;
  int passes_ = 0;
};

int run(int argc, char** argv) {
  const Options options = parse(argc, argv);
  const Problem problem = read_problem(options.system);
  const Json record = Run(problem, options).record();
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0 && !(std::ofstream(options.json) << record << "\n").flush()) {
    throw std::runtime_error("cannot write " + options.json);
  }
  return 0;
}

}  // namespace
}  // namespace peers

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  try {
    const int status = peers::run(argc, argv);
    MPI_Finalize();
    return status;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
}
