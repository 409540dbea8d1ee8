#pragma once
// Files of the factors' panels, each with whole supernodes. A rank writes several files one after another, so
// that writing takes little memory.

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "trisweep/distribution/distribution.hpp"
#include "trisweep/engine/panel_store.hpp"

namespace trisweep::storage {

struct PanelFiles {
  std::filesystem::path folder;
  std::string identity;       // of this save: its files have it
  std::vector<Index> number;  // by supernode: of the file that has its panels
};

// Numbers of the files, by supernode, for the panels that the ranks `writer`, by supernode, write with
// `value_bytes` per value: after `bytes_of_file` a rank begins another file.
std::vector<Index> numbered_files(const symbolic::Structure& structure, std::span<const Index> writer,
                                  std::size_t value_bytes, std::size_t bytes_of_file = 1 << 27);

// The distribution with each supernode's panels on the rank that writes them, among `ranks`. `structure` is
// that of the factors.
distribution::Distribution distribution_of(std::vector<Index> writer, Index ranks,
                                           std::shared_ptr<const symbolic::Structure> structure);

// Writes the panels of a rank in that distribution. Throws Error(environment). Not collective.
template <Scalar S>
void write_panels(const PanelFiles& files, const distribution::LocalBlocks& local_blocks,
                  const engine::PieceValues<S>& panels);

// Throws InputError naming the first missing file. For one process.
void require_files(const PanelFiles& files);

// Factors in the form in which they were saved.
struct SavedPanels {
  const PanelFiles& files;
  const symbolic::Structure& structure;
  numeric::Kind kind;
};
// Reads a rank's pieces in any distribution of the factors: only its rows of panels that it shares with
// others. Throws InputError if a file is missing, damaged or of another save.
template <Scalar S>
engine::PieceValues<S> read_panels(const SavedPanels& saved, const distribution::Distribution& distribution,
                                   const distribution::LocalBlocks& local_blocks);

}  // namespace trisweep::storage
