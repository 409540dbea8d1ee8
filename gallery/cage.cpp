// cage: DNA electrophoresis in the cage model [van Heukelum, Barkema, Bisseling, J. Comput. Phys. 180
// (2002)]; the matrices cage3 .. cage15 of the SuiteSparse collection are N = 3 .. 15.
//
// A polymer of N monomers is a walk on the 6-regular tree whose nodes have 3 "up" and 3 "down" neighbours. A
// state is a walk up to automorphisms of the tree that keep up and down, and up to reversal of the chain. A
// move picks a monomer with probability 1/N. An end moves to a neighbour of the monomer next to it; an inner
// one moves only if its two neighbours coincide, to a neighbour of theirs; else it stays. The new site is
// each up neighbour with probability q/3 and each down neighbour with p/3, q = e^0.1 / (e^0.1 + e^-0.1), p =
// 1 - q. A(i,j) is the probability of going from state j to state i: columns sum to 1.
//
// Canonical form: a step is described by its sign and by the rank of its target among the current node's
// neighbours of that sign, in the order in which the walk first visits them (0, 1, 2). Automorphisms change
// neither, so the sequence of steps is the walk up to automorphisms, and the smaller of it and the sequence
// of the reversed walk is the state. With 3 bits per step it fits a 64-bit word for every N of the gallery.

#include <cmath>

#include "gallery/build.hpp"
#include "gallery/recipes.hpp"

namespace trisweep::gallery::recipes {
namespace {

constexpr int max_monomers = 19;
constexpr int slots = 6;  // a node's neighbours: slots 0 .. 2 are up, 3 .. 5 down
constexpr int bits_per_step = 3;
using Code =
    std::uint64_t;  // a sequence of steps, the first one in the highest bits; a step is 3 * sign + rank
using Small = std::int8_t;
constexpr Small nowhere = -1;

// The part of the tree that a walk has visited, and the site of each monomer.
struct Walk {
  std::array<std::array<Small, slots>, max_monomers + 1> neighbour;  // of each visited node; or nowhere
  std::array<Small, max_monomers> site;
  int monomers = 1;
  int nodes = 1;

  Walk() {
    neighbour[0].fill(nowhere);
    site[0] = 0;
  }

  // The node beyond `slot` of `node`; visits it if the walk has not.
  Small visit(Small node, int slot) {
    Small& next = neighbour[usize(node)][usize(slot)];
    if (next == nowhere) {
      next = static_cast<Small>(nodes++);
      auto& back = neighbour[usize(next)];
      back.fill(nowhere);
      back[slot < 3 ? 3 : 0] = node;
    }
    return next;
  }

  int slot_between(Small from, Small to) const {
    const auto& around = neighbour[usize(from)];
    return static_cast<int>(std::ranges::find(around, to) - around.begin());
  }
};

// The steps of the walk, read from the first monomer or from the last.
Code steps(const Walk& walk, bool reversed) {
  std::array<std::array<Small, slots>, max_monomers + 1> rank;
  std::array<std::array<Small, 2>, max_monomers + 1>
      ranked{};  // neighbours of each node ranked so far, by sign
  for (int node = 0; node < walk.nodes; ++node) rank[usize(node)].fill(nowhere);
  const int first = reversed ? walk.monomers - 1 : 0;
  const int direction = reversed ? -1 : 1;
  Code code = 0;
  Small here = walk.site[usize(first)];
  for (int k = 1; k < walk.monomers; ++k) {
    const Small next = walk.site[usize(first + direction * k)];
    const int slot = walk.slot_between(here, next);
    const int sign = slot / 3;
    Small& step = rank[usize(here)][usize(slot)];
    if (step == nowhere) {
      step = ranked[usize(here)][usize(sign)]++;
      // On a tree the first way into a node is also the first of the ways out of it that the walk has used.
      rank[usize(next)][usize(walk.slot_between(next, here))] = ranked[usize(next)][usize(1 - sign)]++;
    }
    code = code << bits_per_step | static_cast<Code>(3 * sign + step);
    here = next;
  }
  return code;
}

Code state(const Walk& walk) {
  return std::min(steps(walk, false), steps(walk, true));
}

Walk walk_of(Code code, int monomers) {
  Walk walk;
  for (; walk.monomers < monomers; ++walk.monomers) {
    const int shift = bits_per_step * (monomers - 1 - walk.monomers);
    const int step = static_cast<int>(code >> shift & ((1 << bits_per_step) - 1));
    walk.site[usize(walk.monomers)] = walk.visit(walk.site[usize(walk.monomers - 1)], step);
  }
  return walk;
}

// Appends the states that are canonical and continue `walk`, ascending.
void enumerate(const Walk& walk, int monomers, std::vector<Code>& states) {
  if (walk.monomers == monomers) {
    const Code code = steps(walk, false);
    if (code <= steps(walk, true)) states.push_back(code);
    return;
  }
  const Small end = walk.site[usize(walk.monomers - 1)];
  for (int sign = 0; sign < 2; ++sign) {
    // Ranks ascend: first those of the visited neighbours, then one for any unvisited neighbour.
    bool visited = true;
    for (int rank = 0; rank < 3 && visited; ++rank) {
      const int slot = 3 * sign + rank;
      visited = walk.neighbour[usize(end)][usize(slot)] != nowhere;
      Walk longer = walk;
      longer.site[usize(longer.monomers++)] = longer.visit(end, slot);
      enumerate(longer, monomers, states);
    }
  }
}

// The monomer whose neighbours are the sites that monomer `m` can move to; none when it is held between two.
int anchor(const Walk& walk, int m) {
  if (m == 0) return 1;
  if (m == walk.monomers - 1) return m - 1;
  return walk.site[usize(m - 1)] == walk.site[usize(m + 1)] ? m - 1 : nowhere;
}

using Move = std::pair<Code, double>;  // to a state, with a probability

// Every move from the walk of state `from`, a state repeated for each way to reach it.
void list_moves(Code from, int monomers, std::vector<Move>& moves) {
  static const double up = 1 / (1 + std::exp(-0.2));
  const double probability[] = {up / (3 * monomers), (1 - up) / (3 * monomers)};
  const Walk walk = walk_of(from, monomers);
  moves.clear();
  for (int m = 0; m < monomers; ++m) {
    const int held_by = anchor(walk, m);
    if (held_by == nowhere) {
      moves.emplace_back(from, 1.0 / monomers);
      continue;
    }
    for (int sign = 0; sign < 2; ++sign) {
      for (int slot = 3 * sign; slot < 3 * sign + 3; ++slot) {
        const Small anchor_site = walk.site[usize(held_by)];
        const bool visited = walk.neighbour[usize(anchor_site)][usize(slot)] != nowhere;
        // Unvisited neighbours are the same state and have the highest slots: one stands for all.
        const int alike = visited ? 1 : 3 * sign + 3 - slot;
        Walk moved = walk;
        moved.site[usize(m)] = moved.visit(anchor_site, slot);
        moves.emplace_back(state(moved), alike * probability[sign]);
        if (!visited) break;
      }
    }
  }
}

}  // namespace

matrix::AnyCsr cage(const RecipeOptions& options) {
  std::vector<Code> states;
  enumerate(Walk{}, options.n, states);
  const Index n = static_cast<Index>(states.size());

  CsrBuilder<double> columns(n, n, 17 * Offset{n});  // A^T, row by row
  std::vector<Move> moves;
  for (const Code from : states) {
    list_moves(from, options.n, moves);
    std::ranges::stable_sort(moves, {}, &Move::first);
    for (std::size_t k = 0; k < moves.size();) {
      const Code to = moves[k].first;
      double probability = 0;
      for (; k < moves.size() && moves[k].first == to; ++k) probability += moves[k].second;
      columns.add(static_cast<Index>(std::ranges::lower_bound(states, to) - states.begin()), probability);
    }
    columns.end_row();
  }
  return transpose(std::move(columns).finish());
}

}  // namespace trisweep::gallery::recipes
