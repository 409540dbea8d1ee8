#include "studies/analysis_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/structure.hpp"
#include "trisweep/core/error.hpp"
#include "trisweep/storage/hdf5_file.hpp"

namespace trisweep::studies {
namespace {

// Before anything else here.
const bool hdf5_is_left_alone = (storage::leave_hdf5_alone_at_exit(), true);

class AnalysisFile : public testing::Test {
 protected:
  AnalysisFile() {
    analysis_ = {
        .matrix = "a b.mtx",
        .ordering = "scotch",
        .nonzeros = 1234567890123,
        .complex = true,
        .kind = "ldlt",
        .seconds = 1.5,
        .product = {{.ranks = 1, .rows = 150, .nonzeros = 900}, {.ranks = 2, .rows = 75, .ghosts = 7}},
        .structure = std::make_shared<const symbolic::Structure>(testing_support::random_structure(150, 3))};
    OutputFile file(path_);
    save_analysis(analysis_, file);
  }
  ~AnalysisFile() override { std::filesystem::remove(path_); }

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

  void expect_as_it_was() const {
    const model::SavedAnalysis back = load_analysis(path_);
    EXPECT_EQ(back.matrix, analysis_.matrix);
    EXPECT_EQ(back.ordering, analysis_.ordering);
    EXPECT_EQ(back.nonzeros, analysis_.nonzeros);
    EXPECT_EQ(back.complex, analysis_.complex);
    EXPECT_EQ(back.kind, analysis_.kind);
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

  const std::string path_ = testing::TempDir() + "analysis_file_test";
  model::SavedAnalysis analysis_;
};

TEST_F(AnalysisFile, ComesBackAsItWas) {
  expect_as_it_was();
}

TEST_F(AnalysisFile, DamagedAndCutShortItIsRefusedOrAsItWas) {
  const std::string whole = bytes();
  for (std::size_t i = 0; i < 40; ++i) {
    replace(whole.substr(0, whole.size() * i / 40));
    EXPECT_NE(refusal().find(path_), std::string::npos) << i;
  }
  for (std::size_t i = 0; i < 200; ++i) {
    std::string damaged = whole;
    char& byte = damaged[whole.size() * i / 200];
    byte = static_cast<char>(byte ^ 0x10);
    replace(damaged);
    if (refusal().empty()) expect_as_it_was();  // a byte that means nothing
  }
}

TEST_F(AnalysisFile, WhatIsNoneIsRefused) {
  const auto expect_refused = [&](const std::string& content, const std::string& why) {
    replace(content);
    const std::string message = refusal();
    EXPECT_NE(message.find(path_), std::string::npos) << message;
    EXPECT_NE(message.find(why), std::string::npos) << message;
    EXPECT_NE(message.find("predict --save-analysis"), std::string::npos) << message;
  };
  expect_refused("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n", "not an HDF5 file");
  expect_refused("Trisweep analysis, version 3\n and what version 3 had", "not an HDF5 file");
  std::filesystem::remove(path_);
  EXPECT_NE(refusal().find("No such file"), std::string::npos);
}

}  // namespace
}  // namespace trisweep::studies
