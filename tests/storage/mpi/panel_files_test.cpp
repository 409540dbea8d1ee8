#include "trisweep/storage/panel_files.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "gallery/gallery.hpp"
#include "support/solver.hpp"
#include "trisweep/solve/root_factors.hpp"

namespace trisweep::storage {
namespace {

namespace fs = std::filesystem;
using distribution::Distribution;
using testing_support::show_life;

class PanelFilesOf : public testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / fmt::format("trisweep-panel-files-{}", getpid());
    world.broadcast(name);
    files.folder = name;
    files.identity = "of this test";
    if (world.rank() == 0) fs::create_directory(name);
    wait();
  }
  void TearDown() override {
    wait();
    if (world.rank() == 0) fs::remove_all(files.folder);
  }
  void wait() const { world.sum(0.0); }
  distribution::LocalBlocks mine(const Distribution& d) const {
    return distribution::make_local_blocks(*d.structure, *d.mapping, world.rank());
  }

  const mpi::Communicator world{MPI_COMM_WORLD};
  PanelFiles files;
};

// Whoever wrote them and whoever reads them: also where separators, which are one supernode in the factors,
// are cut into tiles.
TEST_P(PanelFilesOf, HavePiecesOfAnyDistribution) {
  for (const char* kind : {"poisson3d", "convection3d"}) {
    const auto a = std::get<matrix::Csr<double>>(gallery::make_matrix(kind, {.n = 8}));
    for (const int whole_levels : {0, 2}) {
      const auto made = testing_support::factored(a, whole_levels);  // the same on all ranks
      const auto source = solve::root_factors<double>(made);
      const auto structure = made->analysis->structure;
      for (const Index writers : {Index{1}, world.size()}) {
        std::vector<Index> writer;
        for (Index k = 0; k < structure->supernodes(); ++k) writer.push_back(k / 3 % writers);
        files.number = numbered_files(*structure, writer, sizeof(double), GetParam());
        const Distribution written = distribution_of(writer, world.size(), structure);
        write_panels(files, mine(written), source->panels(world, written, mine(written)));
        wait();
        for (const distribution::NamedMapping& mapping : distribution::mappings()) {
          for (const auto& grid : testing_support::grids_of(world.size())) {
            show_life();
            const Distribution dealt(structure, mapping, grid);
            const auto read =
                read_panels<double>({files, *structure, made->factors->kind}, dealt, mine(dealt));
            const auto expected = source->panels(world, dealt, mine(dealt));
            for (std::size_t side = 0; side < read.side.size(); ++side)
              EXPECT_TRUE(std::ranges::equal(read.side[side], expected.side[side]))
                  << kind << " by " << writers << " on " << grid.name();
          }
        }
        wait();
      }
    }
  }
}

// Some of a supernode, and one of a rank.
INSTANTIATE_TEST_SUITE_P(Bytes, PanelFilesOf, testing::Values(10'000, 1 << 27));

}  // namespace
}  // namespace trisweep::storage
