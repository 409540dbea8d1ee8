// The fuzzer's corpus of meshes and small damages to it: the readers give a mesh or an InputError, nothing
// else.
#include <gtest/gtest.h>

#include <sstream>

#include "fuzz/read_any_mesh.hpp"

namespace trisweep::bem {
namespace {

using fuzz::reads_or_refuses;

// At each byte with the next of some replacements.
TEST(MeshCorpus, ReadsOrRefusesEveryTruncationAndDamagedByte) {
  constexpr std::array<char, 4> replacements{'\0', '9', '-', static_cast<char>(0xff)};
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(TRISWEEP_SOURCE_DIR) /
                                                               "tests" / "fuzz" / "mesh_corpus")) {
    ++files;
    std::ostringstream text;
    text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    const std::string whole = text.str(), ending = entry.path().extension().string();
    ASSERT_TRUE(reads_or_refuses(whole, ending)) << entry.path();
    for (std::size_t at = 0; at < whole.size(); ++at) {
      ASSERT_TRUE(reads_or_refuses(whole.substr(0, at), ending)) << entry.path() << " cut at byte " << at;
      std::string damaged = whole;
      damaged[at] = replacements[at % replacements.size()];
      ASSERT_TRUE(reads_or_refuses(damaged, ending)) << entry.path() << " damaged at byte " << at;
    }
  }
  EXPECT_GE(files, 6);
}

}  // namespace
}  // namespace trisweep::bem
