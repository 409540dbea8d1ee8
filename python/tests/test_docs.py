"""The blocks of the pages on Python, one after the other in one interpreter on each of two ranks."""

import re
import subprocess
import sys
import unittest
from pathlib import Path

from test_ranks import run

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```python\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)


class Documents(unittest.TestCase):
    def test_have_examples_that_run(self):
        example = ROOT / "examples/python/batch.py"
        result = subprocess.run([sys.executable, example, "1", "5"], capture_output=True, text=True, timeout=100)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"largest difference \d\.\de-1[3-7]")

    def test_have_programs_that_run(self):
        programs = sorted((ROOT / "examples/python").glob("*.py"))
        self.assertGreater(len(programs), 5)
        for program in programs:
            if program.name != "batch.py":
                with self.subTest(program=program.name):
                    result = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=100)
                    self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_run(self):
        for name in ("python.md", "python-more.md", "python-ranks.md"):
            self.run_page(ROOT / "docs" / name)

    def run_page(self, page):
        text = page.read_text()
        blocks = list(BLOCK.finditer(text))
        self.assertGreater(len(blocks), 0)
        # Lines keep their numbers, so that a traceback names those of the page.
        program = ""
        for block in blocks:
            program += "\n" * (text.count("\n", 0, block.start("code")) - program.count("\n")) + block["code"]
        for ranks in (1, 2):
            with self.subTest(page=page.name, ranks=ranks):
                run(ranks, "page.py", program, str(page))
