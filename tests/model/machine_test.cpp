#include "trisweep/model/machine.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "trisweep/core/error.hpp"

namespace trisweep::model {
namespace {

class File {
 public:
  explicit File(const std::string& text) { std::ofstream(path) << text; }
  ~File() { std::filesystem::remove(path); }
  const std::string path = testing::TempDir() + "machine_test.json";
};

TEST(Machine, ThoseOfThePapersAreThere) {
  std::set<std::string> names;
  for (const Machine& m : machines()) {
    names.insert(m.name);
    EXPECT_EQ(find_machine(m.name).name, m.name);
    EXPECT_FALSE(m.sources.empty()) << m.name;
    EXPECT_GE(m.memory_bandwidth * (1 + 1e-12), m.worker_bandwidth) << m.name;
    EXPECT_LE(m.one_sided->between.latency, m.two_sided.between.latency) << m.name;
    EXPECT_EQ(m.ranks_per_node % m.ranks_per_memory, 0) << m.name;
  }
  EXPECT_EQ(names, (std::set<std::string>{"cori-haswell", "cori-knl", "perlmutter-cpu", "perlmutter-gpu",
                                          "crusher", "dgx-1", "dgx-2", "tsubame3", "reedbush-h", "generic"}));
}

TEST(Machine, DescriptionsSurviveAFile) {
  for (const Machine& m : machines()) {
    const File file(to_json(m));
    EXPECT_EQ(to_json(find_machine(file.path)), to_json(m));
  }
}

TEST(Machine, FieldsThatAreMissingHaveDefaults) {
  const File file(R"({"name": "mine", "ranks_per_node": 4, "worker_bandwidth": 1e10, "memory_bandwidth": 2e10,
                      "worker_flops": 1e9, "two_sided": {"inside": {"latency": 1e-6}}})");
  const Machine m = find_machine(file.path);
  EXPECT_EQ(m.ranks_per_memory, 4);
  EXPECT_EQ(m.workers, 1);
  EXPECT_EQ(m.two_sided.between.latency, 1e-6);
  EXPECT_FALSE(m.has("one-sided", 1));
  EXPECT_THROW(static_cast<void>(m.network("one-sided", 1)), Error);
}

TEST(Machine, RefusesWhatIsNone) {
  EXPECT_THROW(find_machine("cray-1"), Error);
  EXPECT_THROW(find_machine("/nowhere/machine.json"), Error);
  EXPECT_THROW(find_machine(File("{").path), Error);
  for (const char* text : {"{", "[]", "{}", R"({"name": "x", "ranks_per_node": "many"})",
                           R"({"name": "x", "ranks_per_node": 0, "worker_bandwidth": 1, "memory_bandwidth": 1,
                               "worker_flops": 1, "two_sided": {"inside": {}}})"}) {
    const File file(text);
    EXPECT_THROW(find_machine(file.path), Error) << text;
  }
}

}  // namespace
}  // namespace trisweep::model
