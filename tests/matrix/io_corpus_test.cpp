// The fuzzer's corpus and small damages to it: the readers give a valid matrix or an InputError, nothing
// else.
#include <gtest/gtest.h>

#include <array>

#include "fuzz/read_any_bytes.hpp"
#include "matrix/io_support.hpp"

namespace trisweep::matrix::test {
namespace {

using fuzz::reads_or_refuses;

std::vector<std::filesystem::path> corpus() {
  const std::filesystem::path folder =
      std::filesystem::path(TRISWEEP_SOURCE_DIR) / "tests" / "fuzz" / "corpus";
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

class CorpusFile : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(CorpusFile, ReadsOrRefusesWhole) {
  EXPECT_TRUE(reads_or_refuses(content_of(GetParam())));
}

TEST_P(CorpusFile, ReadsOrRefusesEveryTruncation) {
  const std::string whole = content_of(GetParam());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    ASSERT_TRUE(reads_or_refuses(whole.substr(0, size))) << "cut at byte " << size;
  }
}

// Each by the next of some replacements, and with a bit flipped.
TEST_P(CorpusFile, ReadsOrRefusesEveryDamagedByte) {
  const std::string whole = content_of(GetParam());
  constexpr std::array<char, 5> replacements{'\0', '\n', '9', '-', static_cast<char>(0xff)};
  for (std::size_t at = 0; at < whole.size(); ++at) {
    const char replacement = replacements[at % replacements.size()];
    std::string damaged = whole;
    damaged[at] = replacement;
    ASSERT_TRUE(reads_or_refuses(damaged)) << "byte " << at << " became " << static_cast<int>(replacement);
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << at % 8));
    ASSERT_TRUE(reads_or_refuses(flipped)) << "a bit of byte " << at << " flipped";
  }
}

INSTANTIATE_TEST_SUITE_P(Corpus, CorpusFile, ::testing::ValuesIn(corpus()), [](const auto& parameter) {
  std::string name = parameter.param.filename().string();
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

}  // namespace
}  // namespace trisweep::matrix::test
