"""scripts/check-pages on small trees, right and wrong."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check-pages"


def table(rows):
    return "| a |\n|---|\n" + "| 1 |\n" * rows


class CheckPages(unittest.TestCase):
    def check(self, pages):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in pages.items():
                path = pathlib.Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return subprocess.run([sys.executable, SCRIPT, folder], capture_output=True, text=True, timeout=60)

    def assert_errors(self, pages, *errors):
        result = self.check(pages)
        self.assertEqual(result.stderr.splitlines(), [f"error: {error}" for error in errors])
        self.assertEqual(result.returncode, 1 if errors else 0)

    def test_accepts_what_is_at_the_limits(self):
        self.assert_errors({"README.md": "x" * 110 + "\n" + "\n" * 149, "docs/a.md": table(15) + "\n" + table(15)})

    def test_rejects_a_page_of_151_lines(self):
        self.assert_errors({"docs/a.md": "\n" * 151}, "docs/a.md:151: the page has 151 lines; the limit is 150")

    def test_lets_references_be_long_but_not_their_tables(self):
        contents = "## Start\n\n- [a.md](a.md): read\n\n## Reference\n\n- [b.md](b.md): looked up\n"
        pages = {"docs/README.md": contents, "docs/b.md": "\n" * 151, "CHANGELOG.md": "\n" * 151}
        self.assert_errors(pages)
        self.assert_errors({**pages, "docs/a.md": "\n" * 151}, "docs/a.md:151: the page has 151 lines; the limit is 150")
        self.assert_errors({**pages, "docs/b.md": table(16)}, "docs/b.md:1: a table of 16 rows; the limit is 15")

    def test_rejects_a_table_at_the_end_of_a_page(self):
        self.assert_errors({"docs/a.md": "\n" + table(16).rstrip()}, "docs/a.md:2: a table of 16 rows; the limit is 15")

    def test_rejects_a_wide_line_of_prose_and_of_commands(self):
        wide = "x" * 111
        self.assert_errors({"docs/a.md": f"{wide}\n\n```sh\n{wide}\n```\n"},
                           "docs/a.md:1: 111 columns; the limit is 110", "docs/a.md:4: 111 columns; the limit is 110")

    def test_lets_output_and_rows_of_tables_be_wide(self):
        wide = "x" * 111
        self.assert_errors({"docs/a.md": f"```text\n{wide}\n```\n\n```\n{wide}\n```\n\n| {wide} |\n|---|\n"})


if __name__ == "__main__":
    unittest.main()
