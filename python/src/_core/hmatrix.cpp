#include "_core/hmatrix.hpp"

#include <fmt/format.h>

#include <complex>
#include <exception>
#include <optional>
#include <span>

#include "_core/arrays.hpp"
#include "_core/mpi.hpp"
#include "_core/signals.hpp"
#include "_core/turns.hpp"
#include "trisweep/hmatrix/hmatrix.hpp"

namespace trisweep::python {
namespace {

using Points = nb::ndarray<const double, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;

std::vector<hmatrix::Point> points_of(const Points& array) {
  std::vector<hmatrix::Point> points(array.shape(0));
  for (std::size_t i = 0; i < points.size(); ++i) std::copy_n(array.data() + 3 * i, 3, points[i].begin());
  return points;
}

// Computes entries by calling kernel(i, j, out), where one of i and j is an array of indices, the other an
// index. Threads of the library call it; a Python exception is kept and rethrown in the caller's thread.
template <Scalar T>
class PythonKernel {
 public:
  explicit PythonKernel(nb::object kernel) : kernel_(std::move(kernel)) {}

  void row(Index i, std::span<const Index> cols, T* out) const {
    evaluate(cols, out, [&](const auto& list, const auto& to) { kernel_(i, list, to); });
  }
  void column(std::span<const Index> rows, Index j, T* out) const {
    evaluate(rows, out, [&](const auto& list, const auto& to) { kernel_(list, j, to); });
  }
  void rethrow() const {
    if (raised_) std::rethrow_exception(raised_);
  }

 private:
  template <class Call>
  void evaluate(std::span<const Index> list, T* out, const Call& call) const {
    const nb::gil_scoped_acquire mine;
    const Callback callback;
    try {
      const std::size_t count = list.size();
      const nb::ndarray<nb::numpy, const Index, nb::ndim<1>> indices(list.data(), 1, &count);
      const nb::ndarray<nb::numpy, T, nb::ndim<1>> to(out, 1, &count);
      call(nb::cast(indices, nb::rv_policy::reference), nb::cast(to, nb::rv_policy::reference));
    } catch (nb::python_error&) {
      if (!raised_) raised_ = std::current_exception();
      throw Error(ErrorKind::usage, "the kernel has raised an exception");
    }
  }

  nb::object kernel_;
  mutable std::exception_ptr raised_;  // guarded by the interpreter's lock
};

// An H-matrix in this process. Calls take turns.
template <Scalar T>
class LocalHMatrix {
 public:
  LocalHMatrix(const Points& points, nb::object kernel, const nb::dict& settings) {
    require_mpi();
    const PythonKernel<T> entries(std::move(kernel));
    const auto number = [&]<class V>(const char* name, V) { return nb::cast<V>(settings[name]); };
    const hmatrix::HMatrixOptions options{.blocks = {.eta = number("eta", double())},
                                          .compression = {.eps = number("eps", double())}};
    const int threads = number("threads", int()), leaf_size = number("leaf_size", int());
    calling(entries, [&](Signals& signals) {
      place_.emplace(threads);
      auto tree = hmatrix::make_cluster_tree(points_of(points), leaf_size);
      matrix_.emplace(mpi::ParallelContext{place_->comm, place_->pool}, entries, std::move(tree), options,
                      signals);
    });
  }
  ~LocalHMatrix() {
    free_in_turn([&] {
      matrix_.reset();
      place_.reset();
    });
  }
  LocalHMatrix(const LocalHMatrix&) = delete;
  LocalHMatrix& operator=(const LocalHMatrix&) = delete;

  Offset bytes() const { return matrix_->statistics().bytes; }
  auto order() const {
    std::vector<Index> copy = matrix_->tree().order;
    return as_array(copy);
  }
  void apply(const Columns<const T>& x, const Columns<T>& y, char op) {
    const auto mine = turns_.take();
    Signals().heed([&] {
      const MpiTurn turn;
      matrix_->apply(static_cast<Op>(op), view<const T>(x), view(y));
    });
  }
  double sampled_error(nb::object kernel, Index rows) {
    const PythonKernel<T> entries(std::move(kernel));
    const auto mine = turns_.take();
    double error = 0;
    calling(entries, [&](Signals&) { error = hmatrix::sampled_error<T>(*matrix_, entries, rows); });
    return error;
  }

 private:
  struct Place {
    explicit Place(int threads) : pool(threads) {}
    mpi::Communicator comm{Parent(std::nullopt).get()};
    ThreadPool pool;
  };

  // Does work that calls the kernel; rethrows the kernel's exception unchanged.
  template <class Work>
  static void calling(const PythonKernel<T>& entries, const Work& work) {
    Signals signals;
    try {
      signals.heed([&] {
        const MpiTurn turn;
        work(signals);
      });
    } catch (const Error&) {
      entries.rethrow();
      throw;
    }
  }

  Turns turns_;
  std::optional<Place> place_;
  std::optional<hmatrix::HMatrix<T>> matrix_;
};

template <Scalar T>
void add_hmatrix(nb::module_& module, nb::dict& hmatrices, const char* dtype) {
  using Matrix = LocalHMatrix<T>;
  hmatrices[dtype] = nb::class_<Matrix>(module, fmt::format("{}_hmatrix", dtype).c_str())
                         .def(nb::init<const Points&, nb::object, const nb::dict&>())
                         .def_prop_ro("bytes", &Matrix::bytes)
                         .def("order", &Matrix::order)
                         .def("apply", &Matrix::apply)
                         .def("sampled_error", &Matrix::sampled_error);
}

}  // namespace

void add_hmatrices(nb::module_& module) {
  nb::dict hmatrices;
  add_hmatrix<float>(module, hmatrices, "float32");
  add_hmatrix<double>(module, hmatrices, "float64");
  add_hmatrix<std::complex<float>>(module, hmatrices, "complex64");
  add_hmatrix<std::complex<double>>(module, hmatrices, "complex128");
  module.attr("hmatrices") = hmatrices;
}

}  // namespace trisweep::python
