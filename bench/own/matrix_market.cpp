// Our reader of Matrix Market files against fast_matrix_market and Eigen's.
//   own_matrix_market FILE [ROUNDS] [NAME]    seconds that each takes; the name: that one alone
//   own_matrix_market --defects               what each makes of files that are wrong

#include <fstream>
#include <sstream>
// Eigen's reader needs what it does not include.
#include <unistd.h>

#include <Eigen/SparseCore>
#include <fast_matrix_market/fast_matrix_market.hpp>
#include <unsupported/Eigen/SparseExtra>

#include "compare.hpp"
#include "trisweep/core/error.hpp"
#include "trisweep/matrix/io.hpp"
#include "trisweep/matrix/read_triplets.hpp"

namespace {

using trisweep::Index;

// The stored entries, as they come.
trisweep::matrix::Triplets<double> their_entries(const std::string& path, int threads) {
  std::ifstream file(path);
  trisweep::matrix::Triplets<double> entries;
  fast_matrix_market::matrix_market_header header;
  fast_matrix_market::read_options options;
  options.parallel_ok = threads > 1;
  options.num_threads = threads;
  fast_matrix_market::read_matrix_market_triplet(file, header, entries.row, entries.col, entries.value,
                                                 options);
  entries.rows = static_cast<Index>(header.nrows);
  entries.cols = static_cast<Index>(header.ncols);
  return entries;
}

// A matrix as Trisweep has it: with our assembly, which refuses duplicates.
trisweep::Offset read_fast(const std::string& path, int threads) {
  return trisweep::matrix::assemble(their_entries(path, threads), path).nonzeros();
}

trisweep::Offset read_ours(const std::string& path) {
  return std::get<trisweep::matrix::Csr<double>>(trisweep::matrix::read_matrix(path)).nonzeros();
}

trisweep::Offset read_eigen(const std::string& path) {
  Eigen::SparseMatrix<double, Eigen::RowMajor> a;
  if (!Eigen::loadMarket(a, path)) throw std::runtime_error("it returns false");
  return a.nonZeros();
}

struct Reader {
  std::string name;
  std::function<trisweep::Offset(const std::string&)> read;
};

const std::vector<Reader> readers = {
    {"ours", read_ours},
    {"fast, entries", [](auto& path) { return trisweep::Offset(their_entries(path, 1).row.size()); }},
    {"fast", [](auto& path) { return read_fast(path, 1); }},
    {"fast, 2 threads", [](auto& path) { return read_fast(path, 2); }},
    {"Eigen", read_eigen}};

struct Defect {
  std::string name;
  std::string content;
};

const std::string banner = "%%MatrixMarket matrix coordinate real general\n";
const std::vector<Defect> defects = {
    {"misspelt banner", "%%MatrixMarkt matrix coordinate real general\n1 1 1\n1 1 1\n"},
    {"unknown field", "%%MatrixMarket matrix coordinate quaternion general\n1 1 1\n1 1 1\n"},
    {"two sizes of three", banner + "2 2\n1 1 1\n"},
    {"more entries than places", banner + "1 1 2\n1 1 1\n1 1 1\n"},
    {"10^15 entries promised", banner + "100000000 100000000 1000000000000000\n1 1 1\n"},
    {"an entry too few", banner + "2 2 2\n1 1 1\n"},
    {"an entry too many", banner + "2 2 1\n1 1 1\n2 2 2\n"},
    {"row 0", banner + "2 2 1\n0 1 1\n"},
    {"row beyond", banner + "2 2 1\n3 1 1\n"},
    {"row 1.0", banner + "2 2 1\n1.0 1 1\n"},
    {"no value", banner + "2 2 1\n1 1\n"},
    {"value 1.2.3", banner + "2 2 1\n1 1 1.2.3\n"},
    {"NaN", banner + "2 2 1\n1 1 NaN\n"},
    {"infinity", banner + "2 2 1\n1 1 -inf\n"},
    {"1e309", banner + "2 2 1\n1 1 1e309\n"},
    {"a fifth word", banner + "2 2 1\n1 1 1 1\n"},
    {"duplicate", banner + "2 2 3\n1 1 1\n2 2 1\n1 1 3\n"},
    {"upper in symmetric", "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n"},
    {"diagonal in skew-symmetric", "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 2 1\n"},
    {"symmetric but not square", "%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n2 1 1\n"}};

std::string verdict(const Reader& reader, const std::string& path) {
  try {
    return fmt::format("accepts it ({} entries)", reader.read(path));
  } catch (const std::exception& error) {
    const std::string message = error.what();
    return "refuses: " + message.substr(0, message.find('\n'));
  }
}

void try_defects() {
  const std::string path = fmt::format("/tmp/own-defect-{}.mtx", getpid());
  for (const auto& defect : defects) {
    std::ofstream(path) << defect.content;
    for (const auto& reader : readers) {
      if (reader.name == "ours" || reader.name == "fast, entries" || reader.name == "Eigen")
        fmt::print("{:28} {:14} {}\n", defect.name, reader.name, verdict(reader, path));
    }
  }
  std::remove(path.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  const std::string file = argc > 1 ? argv[1] : "--defects";
  if (file == "--defects") {
    try_defects();
    return 0;
  }
  const std::string only = argc > 3 ? argv[3] : "";
  std::vector<own::Candidate> candidates;
  for (const auto& reader : readers) {
    if (only.empty() || only == reader.name)
      candidates.push_back({reader.name, [&] { static_cast<void>(reader.read(file)); }});
  }
  own::compare(std::filesystem::path(file).filename(), candidates,
               {.rounds = argc > 2 ? std::atoi(argv[2]) : 10});
}
