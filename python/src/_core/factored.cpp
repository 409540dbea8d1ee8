#include "_core/factored.hpp"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <complex>
#include <string>
#include <variant>

#include "_core/arrays.hpp"
#include "trisweep/model/precision.hpp"
#include "trisweep/storage/factor_file.hpp"

namespace trisweep::python {
namespace {

template <Scalar T>
std::string precision_of(const solve::FactoredSystem<T>& system) {
  if (system.factors.in_single) return "mixed";
  return std::same_as<RealOf<T>, float> ? "float" : "double";
}

// As files have it: in double precision.
template <Scalar T>
matrix::AnyCsr as_read(const matrix::Csr<T>& a) {
  using Read = std::conditional_t<is_complex<T>, std::complex<double>, double>;
  return matrix::Csr<Read>{a.pattern, {a.value.begin(), a.value.end()}};
}

template <Scalar T, Scalar Read>
solve::FactoredSystem<T> load_as(const std::string& folder, matrix::Csr<Read>& read) {
  solve::FactoredSystem<T> system;
  system.factors = storage::load_factors<T>(folder);
  system.a.pattern = std::move(read.pattern);
  for (const Read& v : read.value) system.a.value.push_back(static_cast<T>(v));
  return system;
}

nb::object load(const std::string& folder) {
  const bool single = model::find_precision(storage::saved_precision(folder)).single_system;
  matrix::AnyCsr any = storage::load_matrix(folder);
  return std::visit(
      [&]<Scalar Read>(matrix::Csr<Read>& read) {
        return single ? nb::cast(load_as<Single<Read>>(folder, read)) : nb::cast(load_as<Read>(folder, read));
      },
      any);
}

template <Scalar T>
void add_class(nb::module_& module, const char* dtype) {
  using System = solve::FactoredSystem<T>;
  nb::class_<System>(module, fmt::format("{}_factored", dtype).c_str())
      .def_prop_ro("precision", &precision_of<T>)
      // indptr, indices, data: once.
      .def("take_matrix", [](System& system) { return as_arrays(system.a); })
      .def("save", [](const System& system, OutputFolder& folder) {
        storage::save_factors<T>(folder, as_read(system.a), precision_of(system), system.factors);
      });
}

}  // namespace

void add_factored(nb::module_& module) {
  add_class<float>(module, "float32");
  add_class<double>(module, "float64");
  add_class<std::complex<float>>(module, "complex64");
  add_class<std::complex<double>>(module, "complex128");
  nb::class_<OutputFolder>(module, "FactorFolder")
      .def("__init__", [](OutputFolder* self, const std::string& path) {
        new (self) OutputFolder(path, storage::factor_index);
      });
  module.def("load_factored", &load);
}

}  // namespace trisweep::python
