#pragma once
// Panels of factors in files: one for each rank that has written some, with those of whole supernodes.

#include <filesystem>
#include <string>
#include <vector>

#include "trisweep/distribution/distribution.hpp"
#include "trisweep/engine/panel_store.hpp"

namespace trisweep::storage {

struct PanelFiles {
  std::filesystem::path folder;
  std::string identity;       // of this saving: its files have it
  std::vector<Index> writer;  // by supernode: the rank whose file has its panels, one after another
};

// The distribution in which so many ranks write them. `structure` is that of the factors.
distribution::Distribution distribution_of(const PanelFiles& files, Index ranks,
                                           std::shared_ptr<const symbolic::Structure> structure);

// Writes what the rank has in that distribution. Throws Error(environment). Neither is collective.
template <Scalar S>
void write_panels(const PanelFiles& files, Index rank, const engine::PieceValues<S>& panels);

// Factors as they were saved.
struct SavedPanels {
  const PanelFiles& files;
  const symbolic::Structure& structure;
  numeric::Kind kind;
};
// A rank's pieces of any distribution of them: of panels that it shares it reads its rows. Throws InputError
// when a file is missing, damaged or of another saving.
template <Scalar S>
engine::PieceValues<S> read_panels(const SavedPanels& saved, const distribution::Distribution& distribution,
                                   const distribution::LocalBlocks& local_blocks);

}  // namespace trisweep::storage
