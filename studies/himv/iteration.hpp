#pragma once
// An iteration of BiCGStab on a matrix whose product gathers all of a vector: what of it is whose, and what
// hides behind what (Yamazaki, Ida, Yokota, Dongarra 2019, VI and VII).

#include "studies/himv/transfers.hpp"
#include "trisweep/model/machine.hpp"

namespace trisweep::studies {

// Processes, numbered node by node, with some of their node's GPUs each.
struct Processes {
  Index nodes = 1;
  Index of_node = 1;
  Index gpus = 1;  // of each

  Index count() const { return nodes * of_node; }
};

// A ring: each process passes on what it has got, in count - 1 steps, of which the slowest link decides.
double all_gather_seconds(const model::Machine& machine, const Processes& processes, double bytes_of_all);

// Of the forms of BiCGStab (Fig. 2): vectors that updates and inner products read and write in an iteration,
// kernels that they are, and reductions.
struct VectorWork {
  Index vectors_moved;
  Index kernels;
  Index dots;
  Index reductions;
};
VectorWork vector_work(bool pipelined);

// How it is run.
struct IterationChoice {
  bool pipelined = false;
  enum class Hidden { nothing, copies, gathers } hidden = Hidden::nothing;  // block, pipe1, pipe2
  // On whose rows vectors are worked on: all of them on every GPU (HACApK); all of them in every process,
  // shared by its GPUs (VI-E); or each process's own.
  enum class Schedule { redundant, hierarchical, distributed } schedule = Schedule::redundant;
  bool merged_dots = false;
  Way way = Way::peer;
  bool gpu_aware = false;  // messages from and to the GPUs' memory
};

struct IterationTime {
  double product = 0;
  double local = 0;   // all-reduces and broadcasts among a process's GPUs, and to and from the host
  double gather = 0;  // between processes
  double vectors = 0;
  double hidden = 0;  // of them, what passes behind something else
  double total() const { return product + local + gather + vectors - hidden; }
};

// `product_seconds`: of the slowest process, one of the two products of an iteration; vectors have `n`
// numbers of 8 bytes. Throws Error(usage) where the machine has no description of its GPUs.
IterationTime iteration_seconds(const model::Machine& machine, const Processes& processes, double n,
                                double product_seconds, const IterationChoice& choice);

}  // namespace trisweep::studies
