#pragma once
// The kinds of factorizations.

#include <span>
#include <string_view>

#include "trisweep/core/types.hpp"

namespace trisweep::numeric {

// `lu`: L D U. `cholesky`: L D L^H of Hermitian positive definite matrices, by Cholesky. `ldlt`, `ldlh`: L D
// L^T of symmetric and L D L^H of Hermitian indefinite matrices, with pivots of order 1 and 2. Real matrices
// use `ldlt`, not `ldlh`.
enum class Kind { lu, cholesky, ldlt, ldlh };

struct NamedKind {
  std::string_view name;
  Kind kind;
  std::string_view title;  // for people
};
std::span<const NamedKind> kinds();
const NamedKind& describe(Kind kind);
// Throws Error(usage), which lists the valid names, if `name` is none of them.
const NamedKind& find_kind(std::string_view name);

// The user's choice of a kind, which must suit the matrix; `ldlt` means L D L^T or L D L^H.
enum class KindChoice { automatic, lu, cholesky, ldlt };
struct NamedKindChoice {
  std::string_view name;
  KindChoice choice;
};
std::span<const NamedKindChoice> kind_choices();
KindChoice find_kind_choice(std::string_view name);
// True if `choice` allows `kind`.
constexpr bool is_of_choice(Kind kind, KindChoice choice) {
  switch (choice) {
    case KindChoice::automatic:
      return true;
    case KindChoice::lu:
      return kind == Kind::lu;
    case KindChoice::cholesky:
      return kind == Kind::cholesky;
    case KindChoice::ldlt:
      return kind == Kind::ldlt || kind == Kind::ldlh;
  }
  return false;
}

// True if U is stored. Otherwise U is L^T or L^H, and only the lower triangle of A is read.
constexpr bool has_upper(Kind kind) {
  return kind == Kind::lu;
}

// True if pivots may be of order 2.
constexpr bool may_have_pairs(Kind kind) {
  return kind == Kind::ldlt || kind == Kind::ldlh;
}

// The operation that turns L into U if U is not stored.
constexpr Op upper_of_lower(Kind kind) {
  return kind == Kind::ldlt ? Op::transpose : Op::conjugate_transpose;
}

// Entry (j, i) of a matrix A = op(A) whose entry (i, j) is `value`.
template <Scalar T>
T mirrored(Op op, T value) {
  return op == Op::conjugate_transpose ? conjugate(value) : value;
}

}  // namespace trisweep::numeric
