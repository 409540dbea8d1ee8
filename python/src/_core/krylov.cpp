#include "_core/krylov.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <complex>
#include <optional>
#include <string>

#include "_core/arrays.hpp"
#include "_core/mpi.hpp"
#include "_core/signals.hpp"
#include "trisweep/core/named.hpp"
#include "trisweep/krylov/distributed_matrix.hpp"
#include "trisweep/krylov/methods.hpp"

namespace trisweep::python {
namespace {

// Calls f(x, y), which writes y = f(x), for each column.
template <Scalar T>
void call(const nb::object& f, Vectors<const T> x, Vectors<T> y) {
  const nb::gil_scoped_acquire mine;
  const auto rows = usize(x.rows);
  for (Index c = 0; c < x.cols; ++c) {
    const nb::ndarray<nb::numpy, const T, nb::ndim<1>> from(x.column(c), 1, &rows);
    const nb::ndarray<nb::numpy, T, nb::ndim<1>> to(y.column(c), 1, &rows);
    f(nb::cast(from, nb::rv_policy::reference), nb::cast(to, nb::rv_policy::reference));
  }
}

krylov::KrylovOptions options_of(const nb::dict& settings) {
  return {.tolerance = nb::cast<double>(settings["tolerance"]),
          .max_iterations = nb::cast<int>(settings["max_iterations"]),
          .restart = nb::cast<int>(settings["restart"])};
}

// The communicator, the matrix and the threads of a solve in this process.
template <Scalar T>
struct Place {
  mpi::Communicator comm{Parent(std::nullopt).get()};
  ThreadPool pool{1};
  std::optional<krylov::DistributedMatrix<T>> matrix{};
};

// Returns the name of the outcome and the number of iterations. A is the matrix of `rows`, or if there are
// none, the operator that `product` applies; `precondition` may be None.
template <Scalar T>
nb::tuple solve(const std::string& method, const std::optional<Rows<T>>& rows, const nb::object& product,
                const nb::object& precondition, const Columns<const T>& b, const Columns<T>& x,
                const nb::dict& settings) {
  require_mpi();
  const krylov::KrylovOptions options = options_of(settings);
  const auto& named = find_named(krylov::methods<T>(), "method", method);
  const bool is_preconditioned = !precondition.is_none();
  Signals signals;
  std::vector<krylov::KrylovResult> results;
  signals.heed([&] {
    std::optional<Place<T>> place;
    struct Freed {
      std::optional<Place<T>>& place;
      ~Freed() {
        if (!place) return;
        const MpiTurn turn;
        place.reset();
      }
    } const freed{place};
    {
      const MpiTurn turn;
      place.emplace();
      if (rows) {
        auto a = block_rows(*rows).a;
        const auto partition = distribution::even_partition(a.rows(), 1);
        place->matrix.emplace(place->comm.handle(), std::move(a), partition);
      }
    }
    const auto multiply = [&](Vectors<const T> v, Vectors<T> w) {
      signals.poll();
      place->matrix ? place->matrix->apply(Op::none, v, w, place->pool) : call(product, v, w);
    };
    const auto apply = [&](Vectors<const T> v, Vectors<T> w) {
      is_preconditioned ? call(precondition, v, w) : krylov::Identity()(v, w);
    };
    // Without a turn at MPI: one process does not communicate, and operators of Python may need the turn.
    results = named.solve({place->comm, place->pool}, {multiply, apply}, view<const T>(b), view(x), options);
  });
  const krylov::KrylovResult& result = results.front();
  return nb::make_tuple(std::string(krylov::words_of(result.outcome).name), result.iterations);
}

}  // namespace

void add_krylov(nb::module_& module) {
  nb::dict methods;
  const auto add = [&]<Scalar T>(const char* dtype, T) {
    methods[dtype] = nb::cpp_function(&solve<T>, nb::arg(), nb::arg().none(), nb::arg().none(),
                                      nb::arg().none(), nb::arg(), nb::arg(), nb::arg());
  };
  add("float32", float());
  add("float64", double());
  add("complex64", std::complex<float>());
  add("complex128", std::complex<double>());
  module.attr("krylov") = methods;
}

}  // namespace trisweep::python
