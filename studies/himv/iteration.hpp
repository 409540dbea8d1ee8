#pragma once
// Time of an iteration of BiCGStab on a matrix whose product gathers a whole vector: the cost of its parts,
// and which of them overlap (Yamazaki, Ida, Yokota, Dongarra 2019, VI and VII).

#include "studies/himv/transfers.hpp"
#include "trisweep/model/machine.hpp"

namespace trisweep::studies {

// Processes, numbered node by node, each with some of its node's GPUs.
struct Processes {
  Index nodes = 1;
  Index of_node = 1;
  Index gpus = 1;  // per process

  Index count() const { return nodes * of_node; }
};

// All-gather by a ring: each process forwards what it has received, in count - 1 steps, limited by the
// slowest link.
double all_gather_seconds(const model::Machine& machine, const Processes& processes, double bytes_of_all);

// For the two forms of BiCGStab (Fig. 2): vectors that updates and inner products read and write in an
// iteration, the number of their kernels, of inner products, and of reductions.
struct VectorWork {
  Index vectors_moved;
  Index kernels;
  Index dots;
  Index reductions;
};
VectorWork vector_work(bool pipelined);

// How an iteration is run.
struct IterationChoice {
  bool pipelined = false;
  enum class Hidden { nothing, copies, gathers } hidden = Hidden::nothing;  // block, pipe1, pipe2
  // Rows on which vector operations work: all of them on every GPU (HACApK); all of them in every process,
  // shared by its GPUs (VI-E); or each process's own.
  enum class Schedule { redundant, hierarchical, distributed } schedule = Schedule::redundant;
  bool merged_dots = false;
  Way way = Way::peer;
  bool gpu_aware = false;  // messages are sent from and to GPU memory
};

struct IterationTime {
  double product = 0;
  double local = 0;   // all-reduces and broadcasts among a process's GPUs, and to and from the host
  double gather = 0;  // between processes
  double vectors = 0;
  double hidden = 0;  // of the above, the time that overlaps with other parts
  double total() const { return product + local + gather + vectors - hidden; }
};

// `product_seconds`: of the slowest process, for one of the two products of an iteration; vectors have `n`
// values of 8 bytes. Throws Error(usage) if the machine has no description of its GPUs.
IterationTime iteration_seconds(const model::Machine& machine, const Processes& processes, double n,
                                double product_seconds, const IterationChoice& choice);

}  // namespace trisweep::studies
