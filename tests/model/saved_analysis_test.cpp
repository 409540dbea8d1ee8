#include "trisweep/model/saved_analysis.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/structure.hpp"
#include "trisweep/core/error.hpp"

namespace trisweep::model {
namespace {

class SavedAnalysisTest : public testing::Test {
 protected:
  SavedAnalysisTest() {
    analysis_ = {
        .matrix = "a b.mtx",
        .ordering = "scotch",
        .nonzeros = 1234567890123,
        .complex = true,
        .cholesky = true,
        .seconds = 1.5,
        .product = {{.ranks = 1, .rows = 150, .nonzeros = 900}, {.ranks = 2, .rows = 75, .ghosts = 7}},
        .structure = std::make_shared<const symbolic::Structure>(testing_support::random_structure(150, 3))};
    OutputFile file(path_);
    save(analysis_, file);
    file.commit();
  }
  ~SavedAnalysisTest() override { std::filesystem::remove(path_); }

  std::string bytes() const {
    std::ostringstream text;
    text << std::ifstream(path_, std::ios::binary).rdbuf();
    return std::move(text).str();
  }
  void replace(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }
  std::string refusal() const {
    try {
      load_analysis(path_);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  }

  const std::string path_ = testing::TempDir() + "saved_analysis_test";
  SavedAnalysis analysis_;
};

TEST_F(SavedAnalysisTest, ComesBackAsItWas) {
  const SavedAnalysis back = load_analysis(path_);
  EXPECT_EQ(back.matrix, analysis_.matrix);
  EXPECT_EQ(back.ordering, analysis_.ordering);
  EXPECT_EQ(back.nonzeros, analysis_.nonzeros);
  EXPECT_EQ(back.complex, analysis_.complex);
  EXPECT_EQ(back.cholesky, analysis_.cholesky);
  EXPECT_EQ(back.seconds, analysis_.seconds);
  EXPECT_EQ(back.product, analysis_.product);
  const symbolic::Structure &a = *analysis_.structure, &b = *back.structure;
  EXPECT_EQ(b.n, a.n);
  EXPECT_EQ(b.first, a.first);
  EXPECT_EQ(b.supernode_of, a.supernode_of);
  EXPECT_EQ(b.parent, a.parent);
  EXPECT_EQ(b.row_ptr, a.row_ptr);
  EXPECT_EQ(b.row, a.row);
  EXPECT_EQ(b.block_ptr, a.block_ptr);
  ASSERT_EQ(b.block.size(), a.block.size());
  for (std::size_t i = 0; i < a.block.size(); ++i) {
    EXPECT_EQ(b.block[i].row_supernode, a.block[i].row_supernode);
    EXPECT_EQ(b.block[i].begin, a.block[i].begin);
    EXPECT_EQ(b.block[i].end, a.block[i].end);
  }
  EXPECT_EQ(b.tree.levels, a.tree.levels);
  EXPECT_EQ(b.tree.begin, a.tree.begin);
  EXPECT_EQ(b.tree.end, a.tree.end);
}

TEST_F(SavedAnalysisTest, RefusesDamage) {
  const std::string whole = bytes();
  const std::size_t fields = whole.find('\n') + 1;
  for (const std::size_t at :
       {fields, fields + 5, fields + 12, fields + 16, whole.size() / 2, whole.size() - 1}) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    replace(damaged);
    EXPECT_NE(refusal(), "") << at;
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{10}, fields, fields + 8, whole.size() - 1}) {
    replace(whole.substr(0, size));
    EXPECT_NE(refusal(), "") << size;
  }
  replace(whole + "x");
  EXPECT_NE(refusal().find("checksum"), std::string::npos);
}

TEST_F(SavedAnalysisTest, RefusesWhatIsNone) {
  replace("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n");
  EXPECT_NE(refusal().find("not a saved analysis"), std::string::npos);
  replace("Trisweep analysis, version 1\n and whatever that has");
  EXPECT_NE(refusal().find("another version"), std::string::npos);
  std::filesystem::remove(path_);
  EXPECT_NE(refusal().find("cannot be read"), std::string::npos);
}

}  // namespace
}  // namespace trisweep::model
