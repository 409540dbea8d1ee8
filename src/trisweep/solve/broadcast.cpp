#include "trisweep/solve/broadcast.hpp"

#include <array>
#include <span>

namespace trisweep::solve {
namespace {

// Visits all arrays to be sent, in one order: on rank 0 they are read, elsewhere written.
template <class Visit>
void for_each_list(Analysis& a, symbolic::Structure& s, Visit&& visit) {
  auto& order = a.ordering;
  visit(order.row_new), visit(order.col_new), visit(order.row_scale), visit(order.col_scale);
  visit(order.tree.begin), visit(order.tree.end);
  visit(s.first), visit(s.supernode_of), visit(s.parent), visit(s.row_ptr), visit(s.row);
  visit(s.block_ptr), visit(s.block), visit(s.whole), visit(s.group);
  visit(s.tree.begin), visit(s.tree.end);
}

struct Header {
  numeric::Kind kind;
  Index n;
  int levels[2];  // of the separator trees of ordering and structure
  std::array<Offset, 17> size;
};

}  // namespace

// Sizes are sent first, so that all ranks have allocated before anything else is sent. The root's arrays are
// only read: a broadcast writes only on the other ranks.
std::shared_ptr<const Analysis> broadcast_analysis(const mpi::Communicator& comm,
                                                   std::shared_ptr<const Analysis> root) {
  if (comm.size() == 1) return root;
  const bool is_root = comm.rank() == 0;
  std::shared_ptr<Analysis> analysis;
  std::shared_ptr<symbolic::Structure> structure;
  Header header{};
  mpi::agree_on_error(comm, [&] {
    if (!is_root) {
      analysis = std::make_shared<Analysis>();
      analysis->structure = structure = std::make_shared<symbolic::Structure>();
      return;
    }
    analysis = std::const_pointer_cast<Analysis>(root);
    structure = std::const_pointer_cast<symbolic::Structure>(root->structure);
    header = {.kind = root->kind,
              .n = structure->n,
              .levels = {root->ordering.tree.levels, structure->tree.levels},
              .size = {}};
    std::size_t i = 0;
    for_each_list(*analysis, *structure, [&](const auto& list) { header.size[i++] = std::ssize(list); });
  });
  comm.broadcast(header);
  mpi::agree_on_error(comm, [&] {
    if (is_root) return;
    std::size_t i = 0;
    for_each_list(*analysis, *structure, [&](auto& list) { list.resize(usize(header.size[i++])); });
  });
  for_each_list(*analysis, *structure, [&](auto& list) { comm.broadcast(std::span(list)); });
  if (is_root) return root;
  analysis->kind = header.kind;
  structure->n = header.n;
  analysis->ordering.tree.levels = header.levels[0];
  structure->tree.levels = header.levels[1];
  return analysis;
}

}  // namespace trisweep::solve
