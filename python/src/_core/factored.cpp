#include "_core/factored.hpp"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <complex>
#include <optional>
#include <string>
#include <variant>

#include "_core/arrays.hpp"
#include "_core/mpi.hpp"
#include "trisweep/model/precision.hpp"
#include "trisweep/mpi/communicator.hpp"
#include "trisweep/solve/given_factors.hpp"
#include "trisweep/storage/factor_file.hpp"

namespace trisweep::python {
namespace {

template <Scalar T>
std::string precision_of(const solve::FactorSources<T>& factors) {
  if (factors.in_single) return "mixed";
  return std::same_as<RealOf<T>, float> ? "float" : "double";
}

template <Scalar To, Scalar From>
matrix::Csr<To> in_precision(const matrix::Csr<From>& a) {
  matrix::Csr<To> result{a.pattern, {}};
  for (const From& v : a.value) result.value.push_back(static_cast<To>(v));
  return result;
}

// Collective. `folder`: on rank 0; null on other ranks. The matrix is saved in double precision.
template <Scalar T>
void save(const solve::FactoredSystem<T>& system, std::optional<int> comm, OutputFolder* folder) {
  using Read = std::conditional_t<is_complex<T>, std::complex<double>, double>;
  const nb::gil_scoped_release others_run;
  const MpiTurn turn;
  const mpi::Communicator ranks(Parent(comm).get());
  auto read = mpi::agree_on_error(ranks, [&] { return matrix::AnyCsr(in_precision<Read>(system.a)); });
  storage::save_factors<T>(ranks, folder, solve::dealt_out(ranks.handle(), std::move(read)),
                           precision_of(system.factors), system.factors);
}

// Rows and precision of the system in a folder. Its factors are read later, by the solver that is made from
// it.
nb::tuple saved_system(const std::string& folder) {
  storage::SavedSystem saved;
  {
    const nb::gil_scoped_release others_run;
    saved = storage::saved_system(folder);
  }
  return nb::make_tuple(saved.rows.partition.rows(), saved.precision);
}

// indptr, indices and data of rows [first, last) of the matrix in a folder.
nb::tuple load_rows(const std::string& folder, Index first, Index last) {
  bool single = false;
  matrix::AnyCsr any;
  {
    const nb::gil_scoped_release others_run;
    const storage::SavedSystem saved = storage::saved_system(folder);
    single = model::find_precision(saved.precision).single_system;
    any = matrix::with_scalar(saved.is_complex, [&]<Scalar Read>(Read) -> matrix::AnyCsr {
      return storage::read_rows<Read>(saved.rows, first, last);
    });
  }
  return std::visit(
      [&]<Scalar Read>(matrix::Csr<Read>& read) {
        if (!single) return as_arrays(read);
        auto rounded = in_precision<Single<Read>>(read);
        return as_arrays(rounded);
      },
      any);
}

template <Scalar T>
void add_class(nb::module_& module, const char* dtype) {
  nb::class_<solve::FactoredSystem<T>>(module, fmt::format("{}_factored", dtype).c_str())
      .def("save", &save<T>, nb::arg().none(), nb::arg().none());
}

}  // namespace

void add_factored(nb::module_& module) {
  add_class<float>(module, "float32");
  add_class<double>(module, "float64");
  add_class<std::complex<float>>(module, "complex64");
  add_class<std::complex<double>>(module, "complex128");
  nb::class_<OutputFolder>(module, "FactorFolder")
      .def("__init__", [](OutputFolder* self, const std::string& path) {
        new (self) OutputFolder(path, storage::foreign_to_factors);
      });
  module.def("saved_system", &saved_system);
  module.def("load_rows", &load_rows);
}

}  // namespace trisweep::python
