#include "trisweep/core/output_file.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "trisweep/core/error.hpp"

namespace trisweep {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class OutputFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / "trisweep-test-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string content(const fs::path& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  // The message of the Error(environment) that `action` throws.
  static std::string failure(const std::function<void()>& action) {
    try {
      action();
      return "";
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::environment);
      EXPECT_THAT(e.what(), HasSubstr("remedy"));
      return e.what();
    }
  }

  fs::path folder_;
};

TEST_F(OutputFileTest, AppearsWholeAtCommit) {
  const fs::path target = folder_ / "out.txt";
  OutputFile file(target);
  file.write("one ");
  file.write("two");
  EXPECT_FALSE(fs::exists(target));
  file.commit();
  EXPECT_EQ(content(target), "one two");
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputFileTest, LeavesNoTraceWithoutCommit) {
  const fs::path target = folder_ / "out.txt";
  std::ofstream(target) << "old";
  {
    OutputFile file(target);
    file.write(std::string(3 << 20, 'x'));
    EXPECT_EQ(content(target), "old");
  }
  EXPECT_EQ(content(target), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputFileTest, ReplacesAnOlderFileAndKeepsItsPermissions) {
  const fs::path target = folder_ / "out.txt";
  std::ofstream(target) << "old";
  fs::permissions(target, fs::perms(0640));
  OutputFile file(target);
  file.write("new");
  file.commit();
  EXPECT_EQ(content(target), "new");
  EXPECT_EQ(fs::status(target).permissions(), fs::perms(0640));
}

TEST_F(OutputFileTest, FollowsSymbolicLinks) {
  fs::create_directory(folder_ / "real");
  std::ofstream(folder_ / "real" / "out.txt") << "old";
  fs::create_symlink(folder_ / "real" / "out.txt", folder_ / "link");
  OutputFile file(folder_ / "link");
  file.write("new");
  file.commit();
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(content(folder_ / "real" / "out.txt"), "new");
}

TEST_F(OutputFileTest, SeveralMayBeOpenAndMove) {
  std::vector<OutputFile> open;
  for (const char* name : {"a", "b", "c"}) open.emplace_back(folder_ / name).write(name);
  open[0] = std::move(open[2]);  // discards a
  open.pop_back();
  for (OutputFile& file : open) file.commit();
  open.clear();
  EXPECT_FALSE(fs::exists(folder_ / "a"));
  EXPECT_EQ(content(folder_ / "b") + content(folder_ / "c"), "bc");
  EXPECT_EQ(files(), 2u);
}

TEST_F(OutputFileTest, FailsEarlyAndNamesThePlace) {
  const auto open = [](const fs::path& target) { return failure([&] { OutputFile file(target); }); };
  const fs::path missing = folder_ / "none" / "out.txt";
  EXPECT_THAT(open(missing), HasSubstr("cannot write " + missing.string() + ": No such file or directory"));
  EXPECT_THAT(open(folder_), HasSubstr("it is a folder"));
  EXPECT_THAT(open(folder_ / "new" / ""), HasSubstr("it is a folder"));
  EXPECT_THAT(open(""), HasSubstr("cannot write"));
  EXPECT_THAT(open(folder_ / std::string(300, 'x')), HasSubstr("File name too long"));
  std::ofstream(folder_ / "file") << "x";
  EXPECT_THAT(open(folder_ / "file" / "out.txt"), HasSubstr("Not a directory"));
  EXPECT_THAT(open("/proc/out.txt"), HasSubstr("cannot write /proc/out.txt"));
}

TEST_F(OutputFileTest, AFullDiskIsAnError) {
  EXPECT_THAT(failure([] {
                OutputFile file("/dev/full");
                file.write("x");
                file.commit();
              }),
              HasSubstr("cannot write /dev/full: No space left on device"));
}

TEST_F(OutputFileTest, TheLongestLegalNameWorks) {
  const fs::path target = folder_ / std::string(255, 'x');
  OutputFile file(target);
  file.commit();
  EXPECT_TRUE(fs::exists(target));
}

TEST_F(OutputFileTest, WritesPipesDirectly) {
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string received;
  std::thread reader([&] { received = content(pipe); });
  OutputFile file(pipe);
  file.write("through");
  file.commit();
  reader.join();
  EXPECT_EQ(received, "through");
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST_F(OutputFileTest, SharesARedirectedStandardStream) {
  // What a shell's "> log" gives: /dev/fd/N is a regular file that others write to as well.
  const fs::path log = folder_ / "log";
  std::FILE* stream = std::fopen(log.c_str(), "a");
  ASSERT_NE(stream, nullptr);
  std::fputs("before\n", stream);
  std::fflush(stream);
  OutputFile file("/dev/fd/" + std::to_string(fileno(stream)));
  file.write("ours\n");
  file.commit();
  std::fputs("after\n", stream);
  std::fclose(stream);
  EXPECT_EQ(content(log), "before\nours\nafter\n");
}

class OutputFolderTest : public OutputFileTest {
 protected:
  void SetUp() override {
    OutputFileTest::SetUp();
    target_ = folder_ / "made";
  }
  static std::string foreign(const fs::path& folder) {
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.path().extension() != ".ours") return entry.path().filename();
    return {};
  }
  static void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

  fs::path target_;
};

TEST_F(OutputFolderTest, AppearsWholeAtCommitInPlaceOfAnOlderOne) {
  for (const std::string text : {"first", "second"}) {
    OutputFolder made(target_ / "", foreign);
    write(made.temporary() / "index.ours", text);
    if (text == "first") write(made.temporary() / "first.ours", "");
    if (text == "first") EXPECT_FALSE(fs::exists(target_));
    if (text == "second") EXPECT_EQ(content(target_ / "index.ours"), "first");
    made.commit();
    EXPECT_EQ(content(target_ / "index.ours"), text);
    EXPECT_EQ(files(), 1u);
  }
  EXPECT_FALSE(fs::exists(target_ / "first.ours"));
}

TEST_F(OutputFolderTest, LeavesNoTraceWithoutCommit) {
  {
    const OutputFolder made(target_, foreign);
    write(made.temporary() / "index.ours", "half");
  }
  EXPECT_EQ(files(), 0u);
}

TEST_F(OutputFolderTest, RefusesWhatItWouldDestroyAndWhatCannotBe) {
  fs::create_directory(target_);
  OutputFolder(target_, foreign).commit();  // empty
  write(target_ / "index.ours", "");
  write(target_ / "letter", "of somebody");
  EXPECT_THAT(failure([&] { OutputFolder(target_, foreign); }),
              HasSubstr("it has letter, which would be lost"));
  EXPECT_THAT(failure([&] { OutputFolder(target_ / "letter", foreign); }), HasSubstr("it is a file"));
  EXPECT_THAT(failure([&] { OutputFolder(folder_ / "no/such", foreign); }), HasSubstr("No such file"));
  EXPECT_EQ(content(target_ / "letter"), "of somebody");
  EXPECT_EQ(files(), 1u);
}

// A process that is killed while it writes has no time to tidy up.
TEST_F(OutputFolderTest, WhatKilledProcessesLeaveIsRemovedByTheNext) {
  const auto killed_while_it_writes = [&] {
    const pid_t child = ::fork();
    if (child == 0) {
      const OutputFolder made(target_, foreign);
      const OutputFile file(folder_ / "out.txt");
      write(made.temporary() / "index.ours", "half");
      ::kill(::getpid(), SIGKILL);
    }
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  };
  killed_while_it_writes();
  EXPECT_EQ(files(), 2u);
  killed_while_it_writes();
  EXPECT_EQ(files(), 2u);
  const OutputFolder living(target_, foreign);
  write(living.temporary() / "index.ours", "of a living process");
  OutputFolder(target_, foreign).commit();
  OutputFile(folder_ / "out.txt").commit();
  EXPECT_TRUE(fs::exists(living.temporary() / "index.ours"));
  EXPECT_EQ(files(), 3u);
}

}  // namespace
}  // namespace trisweep
