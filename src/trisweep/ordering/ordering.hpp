#pragma once
// From a matrix to the order and scaling in which it is factored: equilibration, matching of large entries to
// the diagonal, and a fill-reducing order that also yields the tree of separators by which the 3D solve
// distributes its work.

#include <bit>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "trisweep/core/observer.hpp"
#include "trisweep/core/row_numbers.hpp"
#include "trisweep/matrix/csr.hpp"

namespace trisweep::ordering {

class Helpers;

// The top of a nested dissection: a complete binary tree in heap numbering (root 1, children 2t and 2t+1)
// with 2^levels leaves. Node t owns the columns [begin[t], end[t]) of the new order: a separator, or for a
// leaf a whole subdomain. A nonzero joins columns of one node, or of a node and its ancestor. Nodes are
// numbered so that a subtree's columns come right before its root's: left subtree, right subtree, separator.
// Any node may be empty.
struct SeparatorTree {
  int levels = 0;
  std::vector<Index> begin;  // 2^(levels+1); entry 0 unused
  std::vector<Index> end;

  Index nodes() const { return Index{1} << (levels + 1); }  // one past the last heap number
  bool is_leaf(Index t) const { return t >= (Index{1} << levels); }
};

// The level of a node in heap numbering, 0 at the root.
inline int level_of(Index node) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(node))) - 1;
}

// `metis`, `scotch`: nested dissection. `amd`: approximate minimum degree in the leaves of a tree that is no
// deeper than needed. `automatic`: minimum degree in those of these leaves where the factorization then costs
// less than a dissection would, METIS in the others. `ptscotch`: all ranks dissect together, and continue
// like that in subdomains; one rank alone orders as by `automatic`.
enum class Method { automatic, metis, scotch, ptscotch, amd, natural };

// The methods by the names that users know.
struct NamedMethod {
  std::string_view name;
  Method method;
  bool dissects = true;  // finds the separators that are needed; else the tree is one leaf
};
std::span<const NamedMethod> methods();
// Throws Error(usage), which lists the valid names, if `name` is none of them.
const NamedMethod& find_method(std::string_view name);

// The tree of nodes of these sizes, by heap number.
SeparatorTree tree_of_sizes(const std::vector<Index>& size);

// Most levels of a separator tree, which then has a million leaves.
inline constexpr int most_levels = 20;

struct OrderingOptions {
  Method method = Method::metis;
  bool matching = true;     // permute rows for the largest product of the diagonal (as MC64, job 5, does)
  bool equilibrate = true;  // scale by powers of two: the matching's factors, or else to a largest entry of 1
  bool balanced = false;    // match in balanced units, whatever the given ones are
  int tree_levels = 6;      // at most, up to most_levels; fewer when the matrix is small
  int needed_levels = 0;    // of these, the number that the plan uses
  bool pairs = false;    // symmetric matrices: match, and keep rows of large entries together in pairs where
                         // they need each other, or that hardly fills
  Index seed = 1;        // of the dissection; the same seed gives the same order
  RowNumbers numbers{};  // of rows and columns, for messages
  Helpers* helpers = nullptr;  // other ranks that dissect, or null
};

// Number of levels of the separator tree for n rows.
int tree_levels(Index n, const OrderingOptions& options);
// Number of levels that divide a matrix into `parts` parts.
int levels_to_parts(Index parts);

// Entry (i, j) of A becomes entry (row_new[i], col_new[j]) of the ordered matrix, times
// row_scale[i] * col_scale[j].
struct Ordering {
  std::vector<Index> row_new;
  std::vector<Index> col_new;
  std::vector<double> row_scale;
  std::vector<double> col_scale;
  SeparatorTree tree;
  std::vector<Index> partner{};  // by row of A: the other row of its pair, or itself; empty without `pairs`
};

// `symmetric`: A is symmetric; rows and columns are permuted and scaled alike, with scale factors from the
// diagonal or, with OrderingOptions::pairs, from a matching. The rows of a pair are then neighbours in the
// order. Throws Error(numerical) when A is structurally singular, naming a row or column that cannot be
// matched; Error(usage) when A is not square or an option is out of range; Error(input) for values that are
// not finite; Error(environment) when memory does not suffice. Not for concurrent calls: METIS seeds the C
// library's rand().
template <Scalar T>
Ordering order(const matrix::Csr<T>& a, bool symmetric, const OrderingOptions& options,
               Observer& observer = silent_observer());

// The same, and the pattern of the ordered matrix: symmetrized, with a full diagonal, rows and columns of
// pairs united.
struct OrderedPattern {
  Ordering ordering;
  matrix::Pattern pattern;
};
template <Scalar T>
OrderedPattern order_pattern(const matrix::Csr<T>& a, bool symmetric, const OrderingOptions& options,
                             Observer& observer);

}  // namespace trisweep::ordering
