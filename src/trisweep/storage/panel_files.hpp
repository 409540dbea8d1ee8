#pragma once
// Panels of factors in files, those of whole supernodes. A rank writes several one after another, so that
// they take little memory.

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "trisweep/distribution/distribution.hpp"
#include "trisweep/engine/panel_store.hpp"

namespace trisweep::storage {

struct PanelFiles {
  std::filesystem::path folder;
  std::string identity;       // of this saving: its files have it
  std::vector<Index> number;  // by supernode: of the file that has its panels, one after another
};

// Numbers of files for the panels that the ranks `writer`, by supernode, write with so many bytes for a
// value: after `bytes_of_file` a rank begins another.
std::vector<Index> numbered_files(const symbolic::Structure& structure, std::span<const Index> writer,
                                  std::size_t value_bytes, std::size_t bytes_of_file = 1 << 27);

// Each supernode's panels on the rank that writes them, of so many. `structure` is that of the factors.
distribution::Distribution distribution_of(std::vector<Index> writer, Index ranks,
                                           std::shared_ptr<const symbolic::Structure> structure);

// Writes what a rank has in that distribution. Throws Error(environment). Neither is collective.
template <Scalar S>
void write_panels(const PanelFiles& files, const distribution::LocalBlocks& local_blocks,
                  const engine::PieceValues<S>& panels);

// Throws InputError that names the first of the files that is missing. For one process.
void require_files(const PanelFiles& files);

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
