"""scripts/check-readme on small documents."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check-readme"


class CheckReadme(unittest.TestCase):
    def check(self, text):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "README.md"
            file.write_text(text)
            return subprocess.run([sys.executable, SCRIPT, file], capture_output=True, text=True, timeout=60)

    def test_passes_when_every_command_does(self):
        result = self.check("# A\n```sh\ntrue\ntest -x scripts/mpirun\n```\n")
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertIn("1 blocks run, 0 failures", result.stdout)

    def test_a_failure_before_the_last_command_counts(self):
        result = self.check("text\n\n```sh\necho before\nfalse\ntrue\n```\n")
        self.assertEqual(result.returncode, 1)
        self.assertIn("README.md:4: FAILED", result.stdout)
        self.assertIn("before", result.stdout)

    def test_a_failure_in_a_pipe_counts(self):
        self.assertEqual(self.check("```sh\nfalse | cat\n```\n").returncode, 1)

    def test_leaves_out_annotated_blocks_and_says_why(self):
        result = self.check("```sh\ntrue\n```\n<!-- not run: needs a cluster -->\n```sh\nfalse\n```\n")
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertIn("not run: needs a cluster", result.stdout)

    def test_ignores_blocks_of_other_languages(self):
        result = self.check("```sh\ntrue\n```\n```python\nfalse;\n```\n```\nfalse\n```\n")
        self.assertIn("1 blocks run", result.stdout)

    def test_code_must_be_part_of_an_example(self):
        result = self.check("```sh\ntrue\n```\n```cpp\nusing trisweep::Index;\n```\n```cpp\nint x = 1;\n```\n")
        self.assertEqual(result.returncode, 1)
        self.assertIn("README.md:8: FAILED", result.stdout)
        self.assertIn("1 blocks run, 1 failures", result.stdout)

    def test_a_document_without_commands_is_an_error(self):
        self.assertEqual(self.check("nothing\n").returncode, 1)


if __name__ == "__main__":
    unittest.main()
