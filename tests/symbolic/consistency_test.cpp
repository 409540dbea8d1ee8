#include "trisweep/symbolic/consistency.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "support/structure.hpp"

namespace trisweep::symbolic {
namespace {

TEST(Consistency, OfStructuresThatAreMade) {
  for (const Index whole_levels : {0, 2}) {
    const Structure made = testing_support::random_structure(300, 2, 8, whole_levels);
    EXPECT_TRUE(is_consistent(made));
    EXPECT_TRUE(is_consistent(tiled(made, [](Index) { return Index{3}; })));
  }
}

TEST(Consistency, IsLostWhereOneListIsDamaged) {
  const Structure made = testing_support::random_structure(300, 2, 8, 2);
  const auto k = usize(made.supernodes() / 2);
  struct Case {
    const char* list;
    std::function<void(Structure&)> damage;
  };
  for (const Case& c :
       std::vector<Case>{{"n", [](Structure& s) { ++s.n; }},
                         {"first", [&](Structure& s) { s.first[k] = s.first[k + 1]; }},
                         {"first, negative", [&](Structure& s) { s.first[k] = -1; }},
                         {"supernode_of", [](Structure& s) { s.supernode_of[7] = -1; }},
                         {"parent", [&](Structure& s) { s.parent[k] = Index(k); }},
                         {"parent, beyond", [&](Structure& s) { s.parent[k] = s.supernodes(); }},
                         {"row_ptr", [&](Structure& s) { s.row_ptr[1] = -1; }},
                         {"row", [](Structure& s) { s.row[0] = -1; }},
                         {"row, beyond", [](Structure& s) { s.row.back() = s.n; }},
                         {"row, twice", [](Structure& s) { s.row[1] = s.row[0]; }},
                         {"block_ptr", [](Structure& s) { s.block_ptr.back() += 1; }},
                         {"block", [](Structure& s) { s.block[0].end -= 1; }},
                         {"block, of another", [](Structure& s) { s.block[0].row_supernode = -1; }},
                         {"whole", [](Structure& s) { s.whole.pop_back(); }},
                         {"group", [&](Structure& s) { s.group[k] = 0; }},
                         {"tree.levels", [](Structure& s) { s.tree.levels = 31; }},
                         {"tree.begin", [](Structure& s) { s.tree.begin[2] = -1; }},
                         {"tree.end", [](Structure& s) { s.tree.end[1] += 1; }}}) {
    Structure damaged = made;
    c.damage(damaged);
    EXPECT_FALSE(is_consistent(damaged)) << c.list;
  }
}

}  // namespace
}  // namespace trisweep::symbolic
