// What all formats share: files that are not there, gzip, progress, round trips, and the real matrices.
#include "trisweep/matrix/io.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <sstream>

#include "matrix/io_support.hpp"
#include "support/scalars.hpp"

namespace trisweep::matrix::test {
namespace {

using ::testing::Eq;
using ::testing::HasSubstr;

const std::string small_file = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 2\n";

TEST(ReadMatrix, NamesFilesThatCannotBeRead) {
  const TemporaryFolder folder;
  EXPECT_EQ(defect_of([&] { read_matrix(folder.path() / "none.mtx"); }), "none.mtx: no such file");
  EXPECT_THAT(defect_of([&] { read_matrix("-"); }), HasSubstr("standard input"));
  EXPECT_THAT(defect_of([&] { read_matrix(folder.path()); }), HasSubstr("is a folder"));
  EXPECT_THAT(defect_of([&] { read_dense(folder.write("empty", "")); }), "empty: the file is empty");
  EXPECT_THAT(defect_of([&] { read_matrix(folder.write_gzipped("empty.gz", "")); }),
              "empty.gz: the file is empty");
  EXPECT_THAT(defect_of([&] { read_matrix(folder.write("a", "x") / "b.mtx"); }),
              HasSubstr("cannot be opened"));
  // Reading this one fails even for root.
  EXPECT_THAT(defect_of([] { read_matrix("/proc/self/mem"); }), HasSubstr("cannot be read"));
}

TEST(ReadMatrix, GzipIsToldFromTheContent) {
  const TemporaryFolder folder;
  EXPECT_EQ(real_matrix(read_matrix(folder.write_gzipped("a.mtx", small_file))).value,
            (std::vector<double>{1, 2}));
  EXPECT_EQ(real_matrix(read_matrix(folder.write("b.mtx.gz", small_file))).value,
            (std::vector<double>{1, 2}));
}

TEST(ReadMatrix, TruncatedAndCorruptGzipNameTheFile) {
  const TemporaryFolder folder;
  const std::string whole = content_of(folder.write_gzipped("a.gz", small_file));
  for (std::size_t size = 2; size < whole.size(); ++size) {
    const auto file = folder.write("cut.gz", whole.substr(0, size));
    ASSERT_THAT(defect_of([&] { read_matrix(file); }), Eq("cut.gz: the gzip data is truncated")) << size;
  }
  std::string corrupt = whole;
  corrupt[whole.size() - 6] ^= 1;  // the checksum
  const auto file = folder.write("corrupt.gz", corrupt);
  EXPECT_THAT(defect_of([&] { read_matrix(file); }), Eq("corrupt.gz: the gzip data is corrupt"));
}

TEST(ReadMatrix, ReportsProgress) {
  struct Recorder : Observer {
    std::vector<double> fractions;
    std::set<std::string> stages;
    void progress(std::string_view stage, double fraction) override {
      stages.emplace(stage);
      fractions.push_back(fraction);
    }
  } recorder;
  std::ostringstream content;
  constexpr int size = 200000;
  content << "%%MatrixMarket matrix coordinate real general\n" << size << ' ' << size << ' ' << size << '\n';
  for (int i = 1; i <= size; ++i) content << i << ' ' << i << " 0.5\n";
  const TemporaryFolder folder;
  read_matrix(folder.write("a.mtx", content.str()), recorder);
  EXPECT_EQ(recorder.stages, std::set<std::string>{"read"});
  EXPECT_GE(recorder.fractions.size(), 3u);
  EXPECT_TRUE(std::is_sorted(recorder.fractions.begin(), recorder.fractions.end()));
  EXPECT_EQ(recorder.fractions.back(), 1.0);
}

template <class T>
class WriteMatrixMarket : public ::testing::Test {};
TYPED_TEST_SUITE(WriteMatrixMarket, testing_support::Scalars);

// Values of every magnitude, which few digits would not carry.
template <Scalar T>
std::vector<T> awkward_values() {
  using Real = RealOf<T>;
  using Limits = std::numeric_limits<Real>;
  std::vector<Real> reals{0, Real(0.1), -Real(1) / 3, Limits::max(), Limits::min(), -Limits::denorm_min(), 1};
  std::mt19937 random(7);
  std::uniform_real_distribution<double> exponent(-30, 30);
  while (reals.size() < 60) reals.push_back(static_cast<Real>(std::pow(10.0, exponent(random))));
  std::vector<T> values;
  for (std::size_t k = 0; k < reals.size(); ++k) {
    if constexpr (is_complex<T>) {
      values.emplace_back(reals[k], -reals[reals.size() - 1 - k]);
    } else {
      values.push_back(reals[k]);
    }
  }
  return values;
}

template <Scalar T>
using Wide = std::conditional_t<is_complex<T>, std::complex<double>, double>;

template <Scalar T>
std::vector<T> narrowed(const std::vector<Wide<T>>& wide) {
  std::vector<T> values(wide.size());
  std::transform(wide.begin(), wide.end(), values.begin(), [](auto v) { return static_cast<T>(v); });
  return values;
}

TYPED_TEST(WriteMatrixMarket, SparseRoundTripsExactly) {
  Csr<TypeParam> a;
  a.value = awkward_values<TypeParam>();
  a.pattern.rows = 6;
  a.pattern.cols = 20;
  a.pattern.row_ptr = {0, 20, 20, 40, 41, 41, 60};
  for (const auto& [begin, end] : {std::pair{0, 20}, {0, 20}, {7, 8}, {1, 20}}) {
    for (Index j = begin; j < end; ++j) a.pattern.col.push_back(j);
  }
  const TemporaryFolder folder;
  const auto file = folder.path() / "a.mtx";
  write_matrix_market(file, a);
  const auto back = std::get<Csr<Wide<TypeParam>>>(read_matrix(file));
  EXPECT_EQ(back.pattern.row_ptr, a.pattern.row_ptr);
  EXPECT_EQ(back.pattern.col, a.pattern.col);
  EXPECT_EQ(back.cols(), 20);
  EXPECT_EQ(narrowed<TypeParam>(back.value), a.value);
}

TYPED_TEST(WriteMatrixMarket, DenseRoundTripsExactly) {
  const Dense<TypeParam> a{15, 4, awkward_values<TypeParam>()};
  const TemporaryFolder folder;
  const auto file = folder.path() / "b.mtx";
  write_matrix_market(file, a);
  const auto back = std::get<Dense<Wide<TypeParam>>>(read_dense(file));
  EXPECT_EQ(back.rows, 15);
  EXPECT_EQ(back.cols, 4);
  EXPECT_EQ(narrowed<TypeParam>(back.value), a.value);
}

TEST(WriteMatrixMarketFile, UsesTheFewestDigits) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "b.mtx";
  write_matrix_market(file, Dense<double>{3, 1, {0.1, 2.0, -1e300}});
  EXPECT_EQ(content_of(file), "%%MatrixMarket matrix array real general\n3 1\n0.1\n2\n-1e+300\n");
}

TEST(WriteMatrixMarketFile, IsNotThereUntilCommitted) {
  const TemporaryFolder folder;
  const auto target = folder.path() / "b.mtx";
  OutputFile file(target);
  write_matrix_market(file, Dense<double>{1, 1, {1}});
  EXPECT_FALSE(std::filesystem::exists(target));
  file.commit();
  EXPECT_TRUE(std::filesystem::exists(target));
}

TEST(WriteMatrixMarketFile, SaysWhereItCannotWrite) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "none" / "b.mtx";
  try {
    write_matrix_market(file, Dense<double>{1, 1, {1}});
    FAIL() << "wrote into a folder that does not exist";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::environment);
    EXPECT_THAT(e.what(), HasSubstr(file.string()));
  }
}

// Rows, columns and entries as the header of the (decompressed) file declares them.
std::array<std::int64_t, 3> declared_sizes(const std::filesystem::path& path) {
  const gzFile file = gzopen(path.c_str(), "rb");
  std::array<char, 1024> line{};
  bool harwell_boeing = false;
  for (int number = 1; gzgets(file, line.data(), static_cast<int>(line.size())) != nullptr; ++number) {
    harwell_boeing = harwell_boeing || (number == 1 && line[0] != '%');
    if (harwell_boeing ? number == 3 : line[0] != '%') break;
  }
  gzclose(file);
  std::istringstream words(line.data() + (harwell_boeing ? 3 : 0));
  std::array<std::int64_t, 3> sizes{};
  words >> sizes[0] >> sizes[1] >> sizes[2];
  return sizes;
}

TEST(RealMatrices, HaveTheDeclaredSizes) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TRISWEEP_MATRICES)) {
    SCOPED_TRACE(entry.path());
    const auto declared = declared_sizes(entry.path());
    const auto matrix = read_matrix(entry.path());
    std::visit(
        [&](const auto& a) {
          EXPECT_EQ((std::array<std::int64_t, 3>{a.rows(), a.cols(), a.nonzeros()}), declared);
        },
        matrix);
    ++files;
  }
  EXPECT_GT(files, 0) << "no files in " << TRISWEEP_MATRICES;
}

}  // namespace
}  // namespace trisweep::matrix::test
