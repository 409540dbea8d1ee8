#pragma once
// The order in which one rank processes a sweep: its part of one global order of all ranks, which each rank
// determines locally. In the global order every event comes after all events that it waits for, on any rank.
//
// Supernodes are ordered by critical-path priority. For each supernode its partial sums arrive first, then
// its final segment, and then tasks read it; segments that become complete by these events are reduced
// immediately. So a rank that processes one event after another, even with a single worker, cannot cause a
// deadlock:
//
//   scatter   contributions to a segment read segments of descendants, whose places are before its own;
//             a partial sum waits for partial sums of the same supernode, of the tree's other ranks below;
//             the final segment for these, and for that of the parent in the broadcast tree
//   gather    the same with ancestors
//   product   no segment waits for another: all final segments, then all tasks, then all partial sums
//
// A rank in one phase never waits for a rank in a later phase.

#include <vector>

#include "trisweep/distribution/local_blocks.hpp"
#include "trisweep/plan/plan.hpp"

namespace trisweep::device {

// Critical-path priority of each supernode: its position in the order in which a list schedule begins
// supernodes, with as many workers as a GPU has. Among those that can begin, the schedule takes the one with
// the most panel entries on its path. Workers that take supernodes in this order seldom wait; if they are
// sorted by path length alone, they do (on an H200 three quarters of the time). Upward: descendants before
// ancestors, by the path to the root; downward: ancestors before descendants, by the longest path to a leaf.
struct CriticalPathPriority {
  std::vector<Index> upward;
  std::vector<Index> downward;
};
CriticalPathPriority critical_path_priority(const symbolic::Structure& structure);

enum class StepKind { task, reduce_forward, arrive };

// task: runs; reduce_forward: a complete segment is reduced and forwarded; arrive: a final segment arrives.
struct Step {
  StepKind kind;
  Index subject;           // task, or segment
  Index incoming = -1;     // for an arrival: the message
  std::vector<Index> out;  // messages that it sends
};

// Throws Error(usage) if an event of the plan never happens.
std::vector<Step> order_of(const plan::SweepPhase& phase, const distribution::LocalBlocks& local_blocks,
                           const CriticalPathPriority& priority);

}  // namespace trisweep::device
