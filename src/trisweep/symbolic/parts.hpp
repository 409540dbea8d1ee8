#pragma once
// The structure of a matrix that no process has as a whole. Each part, a subdomain or all separators above
// the subdomains, is analyzed by itself; then the parts are joined. In a subdomain only the rows of its own
// columns are needed; of the subdomains, the separators only need the rows of their last supernodes, which
// are cliques of the matrix that is left.

#include <array>
#include <span>

#include "trisweep/symbolic/structure.hpp"

namespace trisweep::symbolic {

// The separator tree of all columns, and which of its nodes are separators above the subdomains. The other
// nodes are those of subdomains, each of them a subtree. Columns are numbered in the order of the tree.
struct DividedTree {
  ordering::SeparatorTree tree;
  std::vector<char> is_above;  // by node
};

// Columns of a part in ascending order: its own ones, then those above that its rows contain.
struct Part {
  std::vector<Index> number;
  Index own = 0;
  matrix::Pattern pattern;  // symmetric, full diagonal; no entries are needed between columns above
};

// Supernodes of a part in elimination order. Columns and rows have their numbers in DividedTree.
struct PartOfStructure {
  std::vector<Index> column;              // of all supernodes
  std::vector<Index> width, height;       // of each
  std::vector<Index> row;                 // below the diagonal blocks of all supernodes
  std::vector<char> whole;                // see Structure
  std::vector<Index> supernodes_of_node;  // by node of the separator tree
};

// Analyzes a subdomain.
PartOfStructure analyze_subdomain(const DividedTree& tree, const Part& part, SymbolicOptions options);

// Appends the supernodes of the next subdomain.
void append(PartOfStructure& subdomains, const PartOfStructure& next);

// Analyzes the separators. `entries`: of the matrix, between columns of separators, by their numbers, in any
// order; of two mirror images one is enough. `subdomains`: all of them.
PartOfStructure analyze_separators(const DividedTree& tree, std::span<const std::array<Index, 2>> entries,
                                   const PartOfStructure& subdomains, const SymbolicOptions& options);

// The structure of the whole matrix, the same as analyze() makes, with new_of_ordered by number.
// `subdomains`: all of them, in the order of the tree.
Analysis joined(const DividedTree& tree, const PartOfStructure& subdomains,
                const PartOfStructure& separators);

}  // namespace trisweep::symbolic
