#include "trisweep/hmatrix/matrix_file.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <filesystem>
#include <fstream>

#include "apps/bem/spheres.hpp"
#include "support/random_matrix.hpp"
#include "support/scalars.hpp"
#include "trisweep/hmatrix/hmatrix.hpp"
#include "trisweep/hmatrix/point_kernel.hpp"
#include "trisweep/storage/hdf5_file.hpp"

namespace trisweep::hmatrix {
namespace {

namespace fs = std::filesystem;
using testing_support::random_vector;

// Before anything else here.
const bool hdf5_is_left_alone = (storage::leave_hdf5_alone_at_exit(), true);

template <Scalar T>
struct SavedProblem {
  std::vector<Point> points = centroids(bem::sphere_mesh({4, 6}, 1, {0, 0, 0}));
  struct Coulomb {
    T operator()(const Point& a, const Point& b) const {
      return T(RealOf<T>((1 + 0.2 * a[0]) / length(a - b)));
    }
  };
  PointKernel<T, Coulomb> kernel{points, Coulomb{}, T(20)};
  HMatrixOptions options{
      .blocks = {.eta = 3, .least_side = 12}, .compression = {.eps = 1e-4}, .block_rows = 20};

  CompressedBlocks<T> compressed(const mpi::ParallelContext& context) const {
    return compress_blocks<T>(context, kernel, make_cluster_tree(points, 12), options);
  }
};

// The same name on all ranks, for this test alone.
class MatrixFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / fmt::format("trisweep-matrix-file-{}", getpid());
    world.broadcast(name);
    path = name;
  }
  void TearDown() override {
    conditional_barrier();
    if (world.rank() == 0) fs::remove_all(path);
  }

  template <Scalar T>
  void save(const mpi::Communicator& comm, const CompressedBlocks<T>& blocks) const {
    std::optional<OutputFolder> folder;
    if (comm.rank() == 0) folder.emplace(path, foreign_to_matrix);
    save_blocks(comm, blocks, folder ? &*folder : nullptr);
    conditional_barrier(comm);
  }

  template <Scalar T>
  std::vector<T> product(const mpi::Communicator& comm, CompressedBlocks<T> blocks) const {
    ThreadPool pool(1);
    HMatrix<T> h({comm, pool}, std::move(blocks));
    const Index n = h.tree().size(), first = h.partition().first(comm.rank());
    const auto x = random_vector<T>(usize(n), 3);
    const std::vector<T> own(x.begin() + first, x.begin() + first + h.local_rows());
    std::vector<T> own_y(own.size()), y;
    h(own, own_y);
    for (Index r = 0; r < comm.size(); ++r) {
      auto part = own_y;
      comm.broadcast(part, r);
      y.insert(y.end(), part.begin(), part.end());
    }
    return y;
  }

  // Until all ranks are here: the folder is that of rank 0.
  void conditional_barrier() const { conditional_barrier(world); }
  static void conditional_barrier(const mpi::Communicator& comm) { comm.sum(0.0); }

  std::string refusal_on(const mpi::Communicator& comm) const {
    try {
      static_cast<void>(load_blocks<double>(comm, path));
    } catch (const Error& e) {
      return e.what();
    }
    return "taken";
  }

  const mpi::Communicator world{MPI_COMM_WORLD}, self{MPI_COMM_SELF};
  fs::path path;
};

template <class T>
class MatrixFileOf : public MatrixFile {};
TYPED_TEST_SUITE(MatrixFileOf, testing_support::Scalars);

TYPED_TEST(MatrixFileOf, ProductsHaveTheSameBitsOnAnyNumberOfRanks) {
  using T = TypeParam;
  const SavedProblem<T> problem;
  ThreadPool pool(1);
  const auto expected = this->product(this->self, problem.compressed({this->self, pool}));
  auto blocks = problem.compressed({this->world, pool});
  this->save(this->world, blocks);
  this->conditional_barrier();
  EXPECT_EQ(this->product(this->world, load_blocks<T>(this->world, this->path)), expected);
  auto alone = load_blocks<T>(this->self, this->path);
  EXPECT_EQ(alone.options.compression.eps, 1e-4);
  EXPECT_EQ(alone.leaves.size(), blocks.leaves.size());
  EXPECT_TRUE(is_tree_of(alone.tree, problem.points));
  EXPECT_FALSE(is_tree_of(alone.tree, centroids(bem::sphere_mesh({4, 6}, 1.001, {0, 0, 0}))));
  EXPECT_FALSE(is_tree_of(alone.tree, centroids(bem::sphere_mesh({4, 5}, 1, {0, 0, 0}))));
  EXPECT_EQ(this->product(this->self, std::move(alone)), expected);
}

TEST_F(MatrixFile, OfNothingAndOfOnePoint) {
  ThreadPool pool(1);
  for (const Index n : {0, 1}) {
    const auto kernel = [](Index, Index) { return 2.0; };
    const auto made = [&](const mpi::Communicator& comm) {
      return compress_blocks<double>({comm, pool}, kernel, make_cluster_tree(std::vector<Point>(usize(n)), 8),
                                     {});
    };
    save(world, made(world));
    conditional_barrier();
    EXPECT_EQ(product(world, load_blocks<double>(world, path)), product(self, made(self)));
  }
}

TEST_F(MatrixFile, DamagedAndCutShortItIsRefusedOrAsItWas) {
  if (world.rank() > 0) return;
  const SavedProblem<double> problem;
  ThreadPool pool(1);
  save(self, problem.compressed({self, pool}));
  const auto expected = product(self, load_blocks<double>(self, path));
  for (const fs::path& file : {path / storage::index_of_folder, path / "blocks-0.h5"}) {
    std::string content(fs::file_size(file), ' ');
    std::ifstream(file, std::ios::binary).read(content.data(), static_cast<std::streamsize>(content.size()));
    const auto rewrite = [&](const std::string& bytes) { std::ofstream(file, std::ios::binary) << bytes; };
    for (std::size_t i = 0; i < 60; ++i) {
      rewrite(content.substr(0, content.size() * i / 60));
      EXPECT_NE(refusal_on(self).find(file.string()), std::string::npos) << i;
    }
    int taken = 0;
    for (std::size_t i = 0; i < 300; ++i) {
      std::string damaged = content;
      damaged[content.size() * i / 300 + i % 7] ^= static_cast<char>(1 << (i % 8));
      rewrite(damaged);
      if (refusal_on(self) != "taken") continue;
      ++taken;  // a byte that means nothing
      EXPECT_EQ(product(self, load_blocks<double>(self, path)), expected);
    }
    EXPECT_LT(taken, 60);
    rewrite(content);
  }
}

TEST_F(MatrixFile, WhatIsNoFolderOfOursIsRefusedOnEveryRank) {
  const auto expect_refused = [&](const fs::path& file, const std::string& why) {
    conditional_barrier();
    const std::string message = refusal_on(world);
    EXPECT_NE(message.find((file.empty() ? path : path / file).string()), std::string::npos) << message;
    EXPECT_NE(message.find(why), std::string::npos) << message;
    EXPECT_NE(message.find("--save FOLDER"), std::string::npos) << message;
    conditional_barrier();
  };
  const auto on_rank_0 = [&](const auto& change) {
    if (world.rank() == 0) change();
  };
  const auto with_hdf5 = [&](const char* name, const auto& change) {
    on_rank_0([&] {
      const std::string file = path / name;
      const hid_t opened = fs::exists(file)
                               ? H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)
                               : H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
      change(opened);
      H5Fclose(opened);
    });
  };
  ThreadPool pool(1);
  const auto save_good = [&] { save(world, SavedProblem<double>().compressed({world, pool})); };
  const std::string last = fmt::format("blocks-{}.h5", world.size() - 1);
  expect_refused(storage::index_of_folder, "No such file");
  on_rank_0([&] { std::ofstream(path) << "a single file, as of version 1\n"; });
  expect_refused("", "older versions");
  on_rank_0([&] {
    fs::remove(path);
    fs::create_directory(path);
  });
  with_hdf5(storage::index_of_folder, [](hid_t) {});
  expect_refused(storage::index_of_folder, "not of the format 'trisweep H-matrix'");
  on_rank_0([&] { std::ofstream(path / storage::index_of_folder) << "%%MatrixMarket matrix\n"; });
  expect_refused(storage::index_of_folder, "not an HDF5 file");
  on_rank_0([&] { fs::remove_all(path); });
  if constexpr (testing_support::has_single) {
    save(world, SavedProblem<Single<double>>().compressed({world, pool}));
    expect_refused(storage::index_of_folder, "float numbers, not double");
  }
  save_good();
  with_hdf5(storage::index_of_folder, [](hid_t file) {
    const hid_t version = H5Aopen(file, "version", H5P_DEFAULT);
    const double next = 3;
    H5Awrite(version, H5T_NATIVE_DOUBLE, &next);
    H5Aclose(version);
  });
  expect_refused(storage::index_of_folder, "version 3, not 2");
  save_good();
  with_hdf5(last.c_str(), [](hid_t file) { H5Ldelete(file, "panels", H5P_DEFAULT); });
  expect_refused(last, "damaged");
  save_good();
  on_rank_0([&] { fs::remove(path / last); });
  expect_refused(last, "No such file");
}

TEST_F(MatrixFile, BlocksOfAnotherSavingAreRefusedOnEveryRank) {
  const SavedProblem<double> problem;
  ThreadPool pool(1);
  const auto blocks = problem.compressed({world, pool});
  const std::string last = fmt::format("blocks-{}.h5", world.size() - 1);
  const fs::path kept = path.string() + ".kept";
  save(world, blocks);
  if (world.rank() == 0) fs::rename(path / last, kept);
  save(world, blocks);
  if (world.rank() == 0) fs::rename(kept, path / last);
  conditional_barrier();
  const std::string message = refusal_on(world);
  EXPECT_NE(message.find((path / last).string()), std::string::npos) << message;
  EXPECT_NE(message.find("does not belong"), std::string::npos) << message;
}

TEST_F(MatrixFile, WhatCannotBeWrittenLeavesWhatWasThere) {
  const SavedProblem<double> problem;
  ThreadPool pool(1);
  const auto blocks = problem.compressed({world, pool});
  if (world.rank() == 0) {
    fs::create_directory(path);
    std::ofstream(path / "other") << "of somebody else";
    EXPECT_THROW(OutputFolder(path, foreign_to_matrix), Error);
    EXPECT_THROW(OutputFolder("/dev/null", foreign_to_matrix), Error);
    EXPECT_THROW(OutputFolder("/no/such/folder", foreign_to_matrix), Error);
    fs::remove(path / "other");
  }
  std::optional<OutputFolder> folder;
  if (world.rank() == 0) {
    folder.emplace(path, foreign_to_matrix);
    fs::create_directory(folder->temporary() / fmt::format("blocks-{}.h5", world.size() - 1));
  }
  EXPECT_THROW(save_blocks(world, blocks, folder ? &*folder : nullptr), Error);
  folder.reset();
  conditional_barrier();
  EXPECT_TRUE(fs::is_empty(path));
}

}  // namespace
}  // namespace trisweep::hmatrix
