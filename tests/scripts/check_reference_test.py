"""scripts/check-reference on small headers, right and wrong."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check-reference"

HEAD = """#pragma once
// What it is for.{}

#include <vector>

// All of it.
namespace trisweep::some {{

// Its own.
class Solver {{
 public:
{}
 private:
  void hidden(int level);
  int n_ = 0;
}};

}}  // namespace trisweep::some
"""


class CheckReference(unittest.TestCase):
    def check(self, members, head="", name="some.hpp"):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "trisweep" / name
            path.parent.mkdir(parents=True)
            path.write_text(HEAD.format(head, members))
            result = subprocess.run([sys.executable, SCRIPT, "--headers", folder], capture_output=True, text=True, timeout=60)
            self.assertEqual(result.returncode, 1 if "error:" in result.stderr else 0, result.stderr)
            return [line.split(": ", 2)[2] for line in result.stderr.splitlines() if line.startswith("error:")]

    def test_accepts_what_says_all(self):
        self.assertEqual(self.check("""
  // Solves A x = b. b, x: this rank's rows. Throws Error(usage) when they are not such.
  void solve(const std::vector<double>& b, std::vector<double>& x);
  // The same for A^T.
  void solve_transposed(const std::vector<double>& b, std::vector<double>& x);
  // Of A.
  int rows() const;
  // Of A, in seconds.
  double time() const noexcept;
  // Of the row i.
  int entries(int i) const { return n_ + i; }
  Solver(const Solver&) = delete;
"""), [])

    def test_names_what_lacks(self):
        self.assertEqual(self.check("""
  // Solves A x = b. Throws Error(usage).
  void solve(const std::vector<double>& b, std::vector<double>& x);
"""), ["Solver::solve says nothing of its arrays' shapes"])
        self.assertEqual(self.check("""
  // Prepares. Throws Error(usage).
  void prepare(int threads);
"""), ["Solver::prepare does not mention its parameter `threads`"])
        self.assertEqual(self.check("""
  // Prepares for so many `threads`.
  void prepare(int threads);
"""), ["Solver::prepare says nothing of errors"])
        self.assertEqual(self.check("""
  // How long it took.
  double time() const;
  double weight = 0;  // of A
"""), ["Solver::time returns a number without a unit", "Solver::weight has no unit"])

    def test_lets_a_file_say_errors_of_all(self):
        prepare = """
  // Prepares for so many `threads`.
  void prepare(int threads);
"""
        self.assertEqual(self.check(prepare, head="\n//\n// Errors: InputError that names the file."), [])

    def test_the_same_is_what_the_function_before_says(self):
        self.assertEqual(self.check("""
  // Prepares for so many `threads`. Throws Error(usage).
  void prepare(int threads);
  // Prepares again.
  void prepare_again(int threads);
"""), ["Solver::prepare_again does not mention its parameter `threads`", "Solver::prepare_again says nothing of errors"])

    def test_algorithms_cite_their_paper(self):
        missing = self.check("", name="krylov/gmres.hpp")
        self.assertEqual(missing, ["an algorithm without its paper"])
        self.assertEqual(self.check("", head=" (Saad and Schultz\n// 1986)", name="krylov/gmres.hpp"), [])


if __name__ == "__main__":
    unittest.main()
