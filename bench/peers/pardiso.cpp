// MKL PARDISO, from the library of --library (PyPI's mkl), loaded at run time.

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <stdexcept>

#include "peer.hpp"

namespace peers {
namespace {

using Pardiso = void(void** handle, const int* max_factors, const int* factor, const int* type,
                     const int* phase, const int* n, const double* a, const int* row_ptr, const int* col,
                     int* permutation, const int* nrhs, int* parameters, const int* message_level, double* b,
                     double* x, int* error);
using Version = void(char* text, int length);

// RTLD_DEEPBIND: it uses its own BLAS, and not the one that measures the bound.
void* load(const std::filesystem::path& file) {
  // Its thread library, which it does not find by itself outside of Python.
  dlopen((file.parent_path() / "libiomp5.so").c_str(), RTLD_NOW | RTLD_GLOBAL);
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  if (library == nullptr) throw std::runtime_error(dlerror());
  return library;
}

template <class Function>
Function* find(void* library, const char* name) {
  auto* found = reinterpret_cast<Function*>(dlsym(library, name));
  if (found == nullptr) throw std::runtime_error(dlerror());
  return found;
}

class MklPardiso : public Peer {
 public:
  MklPardiso(const Problem& p, const Settings& settings)
      : problem_(p.definite ? upper_triangle(p) : p),
        order_(p.old_of_new()),
        own_order_(settings.own_order),
        own_refinement_(settings.own_refinement),
        library_(load(settings.library)),
        pardiso_(find<Pardiso>(library_, "pardiso")) {
    type_ = p.definite ? 2 : 11;
    parameters_[0] = 1;  // not the defaults
    parameters_[4] = own_order_ ? 0 : 1;
    parameters_[9] = 13;  // pivots below 1e-13 are perturbed
    if (own_order_) {
      parameters_[1] = 2;                                      // METIS
      parameters_[10] = parameters_[12] = p.definite ? 0 : 1;  // scaling and matching
    }
    if (own_refinement_) parameters_[7] = 2;  // largest number of steps
    parameters_[17] = -1;                     // counts the entries of the factors
    parameters_[34] = 1;                      // numbers from 0
  }
  ~MklPardiso() override { call(-1, 0, nullptr, nullptr); }
  MklPardiso(const MklPardiso&) = delete;
  MklPardiso& operator=(const MklPardiso&) = delete;

  void analyze() override { require(call(11, 0, nullptr, nullptr)); }
  void factor() override { require(call(22, 0, nullptr, nullptr)); }
  int local_rows() const override { return problem_.rows; }

  void solve(int nrhs, const double* b, double* x) override {
    require(call(33, nrhs, const_cast<double*>(b), x));
    if (parameters_[6] != 0 && !own_order_) throw std::runtime_error("PARDISO refined the solution");
  }

  Facts facts() const override {
    char version[200] = {};
    find<Version>(library_, "mkl_get_version_string")(version, sizeof version);
    const std::string text(version, sizeof version);
    const auto from = text.find("Version ");
    const bool definite = type_ == 2;
    return {.version = from == std::string::npos
                           ? ""
                           : text.substr(from + 8, text.find_first_of("- ", from + 8) - from - 8),
            .kind = definite ? "cholesky" : "lu",
            .ordering = own_order_ ? "its own" : "ours",
            .entries_swept = (definite ? 2.0 : 1.0) * parameters_[17]};
  }

 private:
  int call(int phase, int nrhs, double* b, double* x) {
    const int one = 1, silent = 0;
    int error = 0;
    pardiso_(handle_.data(), &one, &one, &type_, &phase, &problem_.rows, problem_.value.data(),
             problem_.row_ptr.data(), problem_.col.data(), order_.data(), &nrhs, parameters_.data(), &silent,
             b, x, &error);
    return error;
  }

  static void require(int error) {
    if (error != 0) throw std::runtime_error(fmt::format("PARDISO: error {}", error));
  }

  Problem problem_;
  std::vector<int> order_;
  bool own_order_, own_refinement_;
  void* library_;
  Pardiso* pardiso_;
  int type_ = 0;
  std::array<void*, 64> handle_{};
  std::array<int, 64> parameters_{};
};

}  // namespace

std::unique_ptr<Peer> make_peer(const Problem& problem, const Settings& settings) {
  return std::make_unique<MklPardiso>(problem, settings);
}

}  // namespace peers
