#include "trisweep/solve/block_substitution.hpp"

#include <algorithm>

#include "trisweep/krylov/bundle.hpp"

namespace trisweep::solve {
namespace {

std::vector<Index> numbers_of(const std::vector<Index>& stage_of, Index stage) {
  std::vector<Index> numbers;
  for (std::size_t i = 0; i < stage_of.size(); ++i)
    if (stage_of[i] == stage) numbers.push_back(static_cast<Index>(i));
  return numbers;
}

}  // namespace

template <Scalar T>
Index BlockSubstitution<T>::room(Op op) const {
  const auto found = plan_.find(op);
  if (found == plan_.end()) return 0;
  Index least = engine_.room(found->second.front());
  for (const plan::Plan& plan : found->second) least = std::min(least, engine_.room(plan));
  return least;
}

template <Scalar T>
void BlockSubstitution<T>::prepare(Op op, Index nrhs, const MakePlan& make_plan) {
  if (!plan_.contains(op)) {
    std::vector<plan::Plan> plans;
    for (Index stage = 0; stage < coupling_.stages(); ++stage) {
      std::vector<Index> equations, unknowns;
      mpi::agree_on_error(coupling_.comm, [&] {
        equations = numbers_of(coupling_.equation_stage(op), stage);
        unknowns = numbers_of(coupling_.unknown_stage(op), stage);
      });
      plan::Plan plan = make_plan(equations, unknowns);
      mpi::agree_on_error(coupling_.comm, [&] { plans.push_back(std::move(plan)); });
    }
    mpi::agree_on_error(coupling_.comm, [&] { plan_.emplace(op, std::move(plans)); });
  }
  for (const plan::Plan& plan : plan_.at(op)) engine_.prepare(plan, nrhs);
  const Index width = nrhs == 1 ? 1 : krylov::whole_lines<T>(nrhs);
  std::size_t most_coupled = 0;
  for (OffDiagonal<T>& of : coupling_.off_diagonal) {
    const VectorRows<const T> known{nullptr, of.matrix.local_rows(), nrhs, width};
    of.matrix.prepare(op, krylov::bundle_width<T>(known));
    most_coupled = std::max(most_coupled, of.coupled_here().size());
  }
  mpi::agree_on_error(coupling_.comm, [&] {
    const auto grow = [&](Buffer<T>& buffer, std::size_t rows) {
      const std::size_t size = rows * usize(width);
      if (buffer.size() < size) buffer = zeros<T>(size, "the vectors of block back substitution");
    };
    for (Buffer<T>* whole : {&right_, &solution_}) grow(*whole, coupling_.row_stage.size());
    grow(known_, most_coupled);
  });
}

template <Scalar T>
VectorRows<T> BlockSubstitution<T>::in_rows(Buffer<T>& buffer, Index rows, Index columns) const {
  return {buffer.data(), rows, columns, columns == 1 ? 1 : krylov::whole_lines<T>(columns)};
}

// right -= op(N) x in the coupled rows. Of x it reads the unknowns of earlier stages.
template <Scalar T>
void BlockSubstitution<T>::subtract_product(Op op, OffDiagonal<T>& off_diagonal, VectorRows<const T> x,
                                            VectorRows<T> right) {
  const auto rows = off_diagonal.coupled_here();
  const auto place = [&](std::size_t k) { return usize(rows[k] - coupling_.first); };
  const VectorRows<T> known = in_rows(known_, static_cast<Index>(rows.size()), x.cols);
  pool_.run([&](int thread) {
    const ThreadPool::Part part = pool_.part(thread, rows.size(), 1);
    for (std::size_t k = part.begin; k < part.end; ++k) std::copy_n(x.row(place(k)), x.cols, known.row(k));
  });
  off_diagonal.matrix.visit_product(op, known, false, pool_, [&](int, const krylov::ProductRows<T>& v) {
    const VectorRows<T> product = v.products();
    for (std::size_t k = v.rows.begin; k < v.rows.end; ++k) {
      const T* const subtracted = product.row(k - v.rows.begin);
      T* const from = right.row(place(k)) + v.column;
      for (Index c = 0; c < v.columns; ++c) from[c] -= subtracted[c];
    }
  });
}

// Each off-diagonal block is multiplied once: before the solve with its rows or, for a transpose, where its
// rows are unknowns, after it.
template <Scalar T>
engine::SolveProfile BlockSubstitution<T>::run_stages(Op op, VectorRows<T> right, VectorRows<T> x) {
  engine::SolveProfile done;
  const auto run = [&](Index stage) {
    done += engine_.run(plan_.at(op)[usize(stage)], {.rows = {.b = right, .x = x}});
  };
  const auto subtract = [&](Index stage) {
    subtract_product(op, coupling_.off_diagonal[usize(stage - 1)], x, right);
  };
  if (op == Op::none) {
    run(0);
    for (Index stage = 1; stage < coupling_.stages(); ++stage) {
      subtract(stage);
      run(stage);
    }
  } else {
    for (Index stage = coupling_.stages() - 1; stage > 0; --stage) {
      run(stage);
      subtract(stage);
    }
    run(0);
  }
  return done;
}

template <Scalar T>
engine::SolveProfile BlockSubstitution<T>::run(Op op, const engine::CallersVectors<T>& vectors) {
  const Index columns = vectors.columns(), rows = static_cast<Index>(coupling_.row_stage.size());
  const VectorRows<T> right = in_rows(right_, rows, columns), solution = in_rows(solution_, rows, columns);
  const auto for_each_part = [&](const auto& work) {
    pool_.run([&](int thread) { work(pool_.part(thread, usize(rows), usize(kernels::line_rows<T>))); });
  };
  const auto& [given_b, given_x, adds] = vectors.rows;
  if (given_b.cols == 0) {
    for_each_part([&](ThreadPool::Part part) {
      krylov::to_rows(vectors.b, part, static_cast<Index>(right.ld), right.data);
    });
    const engine::SolveProfile done = run_stages(op, right, solution);
    for_each_part([&](ThreadPool::Part part) {
      krylov::from_rows<T>({solution.row(part.begin), 0, columns, solution.ld}, part, vectors.x);
    });
    return done;
  }
  for_each_part([&](ThreadPool::Part p) { krylov::copy_rows<T>(given_b, p, right.row(p.begin), right.ld); });
  if (!adds) return run_stages(op, right, given_x);
  const engine::SolveProfile done = run_stages(op, right, solution);
  for_each_part([&](ThreadPool::Part part) {
    for (std::size_t i = part.begin; i < part.end; ++i)
      for (Index c = 0; c < columns; ++c) given_x.row(i)[c] += solution.row(i)[c];
  });
  return done;
}

#define INSTANTIATE(T) template class BlockSubstitution<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
