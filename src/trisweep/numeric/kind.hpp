#pragma once
// The kinds of factorizations.

#include <span>
#include <string_view>

#include "trisweep/core/types.hpp"

namespace trisweep::numeric {

// L D U; of Hermitian positive definite matrices L D L^H, by Cholesky; of symmetric and of Hermitian
// indefinite ones L D L^T and L D L^H, with pivots of order 1 and 2. Real matrices have `ldlt`, not `ldlh`.
enum class Kind { lu, cholesky, ldlt, ldlh };

struct NamedKind {
  std::string_view name;
  Kind kind;
  std::string_view title;  // for people
};
std::span<const NamedKind> kinds();
const NamedKind& describe(Kind kind);
// Throws Error(usage) that lists the names there are.
const NamedKind& find_kind(std::string_view name);

// What users choose: a kind that must suit the matrix, `ldlt` being either of L D L^T and L D L^H.
enum class KindChoice { automatic, lu, cholesky, ldlt };
struct NamedKindChoice {
  std::string_view name;
  KindChoice choice;
};
std::span<const NamedKindChoice> kind_choices();
KindChoice find_kind_choice(std::string_view name);
// Whether the kind is one that this choice may be answered with.
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

// Whether U is stored. Where it is not it is L^T or L^H, and of A the lower triangle alone is read.
constexpr bool has_upper(Kind kind) {
  return kind == Kind::lu;
}

// Whether pivots may be of order 2.
constexpr bool may_have_pairs(Kind kind) {
  return kind == Kind::ldlt || kind == Kind::ldlh;
}

// What makes U of L where U is not stored.
constexpr Op upper_of_lower(Kind kind) {
  return kind == Kind::ldlt ? Op::transpose : Op::conjugate_transpose;
}

// The entry (j, i) of a matrix that equals op(itself) and whose entry (i, j) is `value`.
template <Scalar T>
T mirrored(Op op, T value) {
  return op == Op::conjugate_transpose ? conjugate(value) : value;
}

}  // namespace trisweep::numeric
