#include "trisweep/solve/broadcast.hpp"

namespace trisweep::solve {
namespace {

void broadcast_tree(const transport::Communicator& comm, ordering::SeparatorTree& tree) {
  comm.broadcast(tree.levels);
  comm.broadcast(tree.begin);
  comm.broadcast(tree.end);
}

void broadcast_structure(const transport::Communicator& comm, symbolic::Structure& s) {
  comm.broadcast(s.n);
  comm.broadcast(s.first);
  comm.broadcast(s.supernode_of);
  comm.broadcast(s.parent);
  comm.broadcast(s.row_ptr);
  comm.broadcast(s.row);
  comm.broadcast(s.block_ptr);
  comm.broadcast(s.block);
  comm.broadcast(s.whole);
  comm.broadcast(s.group);
  broadcast_tree(comm, s.tree);
}

}  // namespace

Analysis broadcast_analysis(const transport::Communicator& comm, const Analysis* root) {
  Analysis analysis;
  if (comm.rank() == 0) analysis = *root;
  if (comm.size() == 1) return analysis;
  comm.broadcast(analysis.kind);
  comm.broadcast(analysis.ordering.row_new);
  comm.broadcast(analysis.ordering.col_new);
  comm.broadcast(analysis.ordering.row_scale);
  comm.broadcast(analysis.ordering.col_scale);
  broadcast_tree(comm, analysis.ordering.tree);
  // The root's structure is only read: a broadcast writes to the others.
  auto structure = comm.rank() == 0 ? std::const_pointer_cast<symbolic::Structure>(analysis.structure)
                                    : std::make_shared<symbolic::Structure>();
  broadcast_structure(comm, *structure);
  analysis.structure = std::move(structure);
  return analysis;
}

}  // namespace trisweep::solve
