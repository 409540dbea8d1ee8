#pragma once
// The order in which one rank deals with a sweep: its part of one order of all ranks, which each rank finds
// alone. In that order everything comes after all that it waits for, on whatever rank that is.
//
// The order is that of the supernodes, as `places` has them; for each first its partial sums come, then its
// final segment, then tasks read it. What these events complete is settled at once. So a rank that deals with
// one thing after another, even with one worker, never leaves another worker waiting for ever:
//
//   scatter   contributions to a segment read segments of descendants, whose places are before its own;
//             a partial sum waits for partial sums of the same supernode, of the tree's other ranks below;
//             the final segment for these, and for that of the parent in the broadcast tree
//   gather    the same with ancestors
//   product   no segment waits for another: all final segments, then all tasks, then all partial sums
//
// A rank in the middle of a phase does not wait for a rank in a later one.

#include <vector>

#include "trisweep/distribution/local_blocks.hpp"
#include "trisweep/plan/plan.hpp"

namespace trisweep::device {

// Critical-path priority of each supernode, its position in an order of all: the one in which a list schedule
// begins them, for as many workers as a GPU has, where of those that can be begun the one with the most panel
// entries on its path goes first. Workers that take them in that order seldom wait, which they do where that
// priority alone is the order (on an H200 three quarters of the time). Upward: descendants before ancestors,
// by the path to the root; downward: ancestors before descendants, by the longest path to a leaf.
struct CriticalPathPriority {
  std::vector<Index> upward;
  std::vector<Index> downward;
};
CriticalPathPriority critical_path_priority(const symbolic::Structure& structure);

enum class StepKind { task, reduce_forward, arrive };

// A task is run; a segment is complete, and settled; a final segment comes.
struct Step {
  StepKind kind;
  Index subject;           // task, or segment
  Index incoming = -1;     // of an arrival: the message
  std::vector<Index> out;  // messages that are sent then
};

// Throws Error(usage) when the plan has something in it that never happens.
std::vector<Step> order_of(const plan::SweepPhase& phase, const distribution::LocalBlocks& local_blocks,
                           const CriticalPathPriority& priority);

}  // namespace trisweep::device
