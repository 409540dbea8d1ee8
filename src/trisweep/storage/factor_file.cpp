#include "trisweep/storage/factor_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

#include "trisweep/distribution/front_owners.hpp"
#include "trisweep/model/precision.hpp"
#include "trisweep/solve/broadcast.hpp"
#include "trisweep/solve/report.hpp"
#include "trisweep/storage/panel_files.hpp"

namespace trisweep::storage {
namespace {

// Factors in a folder, of which each rank reads its pieces.
template <Scalar F>
class SavedFactors final : public solve::FactorSource<F> {
 public:
  // `index`: rank 0's; elsewhere ignored.
  SavedFactors(std::filesystem::path folder, FactorIndex index)
      : index_(std::move(index)), files_{.folder = std::move(folder), .identity = {}, .number = {}} {}

  std::shared_ptr<const solve::Analysis> analysis(const mpi::Communicator& comm) override {
    if (!analysis_) {
      mpi::agree_on_error(comm, [&] {
        files_.identity = index_.head.identity;
        files_.number = index_.head.file;
      });
      comm.broadcast(files_.identity);
      comm.broadcast(files_.number);
      analysis_ = solve::broadcast_analysis(comm, index_.analysis);
    }
    return analysis_;
  }

  engine::PieceValues<F> panels(const mpi::Communicator& comm, const distribution::Distribution& distribution,
                                const distribution::LocalBlocks& local_blocks) override {
    return mpi::agree_on_error(comm, [&] {
      if (!std::filesystem::exists(files_.folder))
        throw Error(ErrorKind::environment,
                    fmt::format("{} is not there on rank {}", files_.folder.string(), comm.rank()),
                    "keep it where all ranks see it");
      return read_panels<F>({files_, *analysis_->structure, analysis_->kind}, distribution, local_blocks);
    });
  }

  double scaled_norm_one(const mpi::Communicator& comm) override {
    double norm = index_.head.scaled_norm_one;
    comm.broadcast(norm);
    return norm;
  }
  std::shared_ptr<const void> analysis_key(const mpi::Communicator&) const override {
    return index_.analysis ? index_.analysis->structure : nullptr;
  }
  bool holds_matrix() const override { return index_.head.holds_matrix; }
  void describe(solve::FactorReport& report) const override {
    const FactorHead& head = index_.head;
    report.perturbed_pivots = head.perturbed_pivots;
    report.delayed_pivots = head.delayed_pivots;
    if (numeric::has_upper(index_.analysis->kind)) return;
    report.pivots = head.pivots;
    report.pivots->phase = {head.phase[0], head.phase[1]};
  }

 private:
  FactorIndex index_;
  PanelFiles files_;
  std::shared_ptr<const solve::Analysis> analysis_;
};

template <Scalar F>
void describe(const solve::FactorSource<F>& source, numeric::Kind kind, FactorHead& head) {
  solve::FactorReport report;
  source.describe(report);
  head.scalar = is_complex<F> ? "complex" : "real";
  head.kind = numeric::describe(kind).name;
  if (report.pivots) head.pivots = *report.pivots;
  head.phase = {head.pivots.phase.real(), head.pivots.phase.imag()};
  head.perturbed_pivots = report.perturbed_pivots;
  head.delayed_pivots = report.delayed_pivots;
  head.holds_matrix = source.holds_matrix();
}

// The writers are the ranks that have the panels if they were factored here. Only rank 0 passes `folder`.
template <Scalar F>
PanelFiles write_all_panels(const mpi::Communicator& comm, const OutputFolder* folder,
                            solve::FactorSource<F>& source) {
  const auto structure = source.analysis(comm)->structure;
  PanelFiles files;
  std::vector<Index> writer;
  std::string place;
  mpi::agree_on_error(comm, [&] {
    writer = distribution::FrontOwners(*structure, comm.size()).of_supernode;
    files.number = numbered_files(*structure, writer, sizeof(F));
    if (folder == nullptr) return;
    std::random_device random;
    files.identity = fmt::format("{:08x}{:08x}", random(), random());
    place = folder->temporary().string();
  });
  comm.broadcast(files.identity);
  comm.broadcast(place);
  distribution::Distribution distribution;
  const auto local_blocks = mpi::agree_on_error(comm, [&] {
    files.folder = place;
    distribution = distribution_of(std::move(writer), comm.size(), structure);
    return distribution::make_local_blocks(*structure, *distribution.mapping, comm.rank());
  });
  const auto panels = source.panels(comm, distribution, local_blocks);
  mpi::agree_on_error(comm, [&] { write_panels(files, local_blocks, panels); });
  return files;
}

// Returns FactorHead::row_begin.
std::vector<Index> write_all_rows(const mpi::Communicator& comm, const PanelFiles& panels,
                                  const solve::AnyBlockRows& any) {
  return mpi::agree_on_error(comm, [&] {
    return std::visit(
        [&](const auto& rows) {
          const RowFiles files{.folder = panels.folder,
                               .identity = panels.identity,
                               .partition = distribution::even_partition(rows.a.cols(), comm.size())};
          if (rows.a.rows() != files.partition.count(comm.rank()))
            throw Error(ErrorKind::usage, "the rows to be saved are not even blocks",
                        "distribute them by solve::dealt_out()");
          write_rows(files, comm.rank(), rows.a);
          return files.partition.begin;
        },
        any);
  });
}

// `head` has precision and diagonal already.
template <Scalar F>
void save(const mpi::Communicator& comm, OutputFolder* folder, const solve::AnyBlockRows& rows,
          FactorHead head, solve::FactorSource<F>& source) {
  const PanelFiles files = write_all_panels(comm, folder, source);
  head.row_begin = write_all_rows(comm, files, rows);
  const auto analysis = source.analysis(comm);
  head.scaled_norm_one = source.scaled_norm_one(comm);
  mpi::agree_on_error(comm, [&] {
    if (folder == nullptr) return;
    head.identity = files.identity;
    head.file = files.number;
    describe(source, analysis->kind, head);
    write_index(*folder, {head, analysis});
    folder->commit();
  });
}

}  // namespace

template <Scalar T>
void save_factors(const mpi::Communicator& comm, OutputFolder* folder, const solve::AnyBlockRows& rows,
                  const std::string& precision, const solve::FactorSources<T>& factors) {
  mpi::revoke_on_error(comm, [&] {
    const FactorHead head{.precision = precision, .diagonal = factors.diagonal};
    factors.in_full ? save(comm, folder, rows, head, *factors.in_full)
                    : save(comm, folder, rows, head, *factors.in_single);
  });
}

solve::AnyBlockRows load_rows(const mpi::Communicator& comm, const std::filesystem::path& folder) {
  return mpi::revoke_on_error(comm, [&] {
    SavedSystem saved{};
    mpi::agree_on_error(comm, [&] {
      if (comm.rank() == 0) saved = saved_system(folder);
    });
    comm.broadcast(saved.is_complex);
    comm.broadcast(saved.rows.identity);
    comm.broadcast(saved.rows.partition.begin);
    return mpi::agree_on_error(comm, [&] {
      saved.rows.folder = folder;
      const auto mine = distribution::even_partition(saved.rows.partition.rows(), comm.size());
      const Index first = mine.first(comm.rank());
      return matrix::with_scalar(saved.is_complex, [&]<Scalar T>(T) -> solve::AnyBlockRows {
        return solve::BlockRows<T>{.a = read_rows<T>(saved.rows, first, first + mine.count(comm.rank()))};
      });
    });
  });
}

template <Scalar T>
solve::FactorSources<T> load_factors(const mpi::Communicator& comm, const std::filesystem::path& folder) {
  return mpi::revoke_on_error(comm, [&] {
    FactorIndex index;
    solve::FactorSources<T> factors;
    char mixed = 0;
    mpi::agree_on_error(comm, [&] {
      if (comm.rank() != 0) return;
      index = read_index<T>(folder);
      require_files({.folder = folder, .identity = {}, .number = index.head.file});
      factors.diagonal = index.head.diagonal;
      mixed = model::find_precision(index.head.precision).mixed();
    });
    comm.broadcast(mixed);
    mpi::agree_on_error(comm, [&] {
      if (mixed != 0) {
        factors.in_single = std::make_shared<SavedFactors<Single<T>>>(folder, std::move(index));
      } else {
        factors.in_full = std::make_shared<SavedFactors<T>>(folder, std::move(index));
      }
    });
    return factors;
  });
}

#define INSTANTIATE(T)                                                                            \
  template void save_factors(const mpi::Communicator&, OutputFolder*, const solve::AnyBlockRows&, \
                             const std::string&, const solve::FactorSources<T>&);                 \
  template solve::FactorSources<T> load_factors(const mpi::Communicator&, const std::filesystem::path&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::storage
