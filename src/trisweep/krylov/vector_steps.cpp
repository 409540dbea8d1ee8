#include "trisweep/krylov/vector_steps.hpp"

#include <algorithm>

namespace trisweep::krylov {
namespace {

template <Scalar T>
using Number = device::NumberOf<T>;

template <Scalar T>
const Number<T>* column_of(Vectors<const T> v, Index c) {
  return reinterpret_cast<const Number<T>*>(v.column(c));
}

template <Scalar T>
Number<T> number(Sum<T> value) {
  using R = RealOf<T>;
  if constexpr (is_complex<T>) {
    return {static_cast<R>(value.real()), static_cast<R>(value.imag())};
  } else {
    return static_cast<R>(value);
  }
}

template <Scalar T>
device::RowUpdate<Number<T>> in_column(const Update<T>& u, Index c) {
  const auto factor = [&](std::size_t i) {
    return u.factor[i].empty() ? Number<T>{} : number<T>(u.factor[i][usize(c)]);
  };
  const auto from = [&](std::size_t i) {
    return u.from[i].data == nullptr ? nullptr : column_of<T>(u.from[i], c);
  };
  return {.form = u.form,
          .to = reinterpret_cast<Number<T>*>(u.to.column(c)),
          .a = from(0),
          .b = from(1),
          .c = from(2),
          .first = factor(0),
          .second = factor(1),
          .scale = u.scale.empty() ? RealOf<T>(1) : u.scale[usize(c)]};
}

// Returns the steps column by column; for each column as many as hold all updates and pairs.
template <Scalar T>
std::vector<device::VectorStep<Number<T>>> steps_of(std::span<const Index> columns,
                                                    std::span<const Update<T>> updates,
                                                    std::span<const Pair<T>> pairs) {
  using Step = device::VectorStep<Number<T>>;
  std::vector<Step> steps;
  for (const Index c : columns) {
    std::size_t updated = 0, multiplied = 0;
    do {
      Step& step = steps.emplace_back();
      step.rows = updates.empty() ? pairs.front().x.rows : updates.front().to.rows;
      while (step.updates < Step::most_updates && updated < updates.size())
        step.update[step.updates++] = in_column(updates[updated++], c);
      if (updated < updates.size()) continue;
      while (step.products < Step::most_products && multiplied < pairs.size()) {
        const Pair<T>& pair = pairs[multiplied++];
        step.product[step.products++] = {column_of(pair.x, c), column_of(pair.y, c)};
      }
    } while (updated < updates.size() || multiplied < pairs.size());
  }
  return steps;
}

}  // namespace

template <Scalar T>
VectorSteps<T>::VectorSteps(const mpi::Communicator& comm, device::StepRunner<T>& runner, Index cols,
                            std::size_t pairs)
    : comm_(comm), runner_(runner), columns_(usize(cols)), sums_(columns_ * pairs, "inner products") {}

template <Scalar T>
VectorSteps<T>::~VectorSteps() {
  if (request_ != MPI_REQUEST_NULL) sums_.release();
}

template <Scalar T>
void VectorSteps<T>::run(std::span<const Index> columns, std::span<const Update<T>> updates) const {
  runner_.run(steps_of<T>(columns, updates, {}), [] {});
}

template <Scalar T>
void VectorSteps<T>::start(std::span<const Index> columns, std::span<const Update<T>> updates,
                           std::span<const Pair<T>> pairs, const Poll& poll) {
  products_ = pairs.size() * columns_;
  const auto found = runner_.run(steps_of<T>(columns, updates, pairs), poll);
  std::fill_n(sums_.data(), products_, Sum<T>{});
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t pair = i % pairs.size(), column = usize(columns[i / pairs.size()]);
    sums_[pair * columns_ + column] = reinterpret_cast<const Sum<T>&>(found[i]);
  }
  if (comm_.size() == 1) return;
  constexpr int reals = is_complex<T> ? 2 : 1;
  mpi::check(MPI_Iallreduce(MPI_IN_PLACE, sums_.data(), static_cast<int>(products_) * reals, MPI_DOUBLE,
                            MPI_SUM, comm_.handle(), &request_),
             "MPI_Iallreduce");
}

template <Scalar T>
std::span<const Sum<T>> VectorSteps<T>::finish() {
  if (comm_.size() > 1) comm_.finish(request_);
  return {sums_.data(), products_};
}

#define INSTANTIATE(T) template class VectorSteps<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::krylov
