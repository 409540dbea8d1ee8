"""The pages of `trisweep report`: from real runs, and from documents that are none."""

import contextlib
import io
import json
import re
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path

from trisweep.errors import UserError
from trisweep.report.__main__ import run
from trisweep.report.figures import seconds
from trisweep.report.records import Span, Trace, critical_path
from trisweep.runs import find_trisweep

VOID = {"meta", "rect", "polyline", "br"}


class Page(HTMLParser):
    """Elements must nest; figures must have a label; nothing may be loaded from elsewhere."""

    def __init__(self, html):
        super().__init__()
        self.html = html
        self.open, self.headings, self.words, self.figures = [], [], [], 0
        self.feed(html)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        assert tag not in ("script", "link", "img", "iframe"), tag
        assert not {"src", "href"} & attributes.keys(), attrs
        if tag == "svg":
            self.figures += 1
            assert attributes["role"] == "img", attrs
            assert attributes["aria-label"], attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag, tag

    def handle_data(self, data):
        self.words.append(data)
        if self.open and self.open[-1] in ("h1", "h2", "h3"):
            self.headings.append(data)

    def text(self):
        return re.sub(r"\s+", " ", " ".join(self.words))


class Reports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.trisweep("gallery", "poisson3d", "--n", "8", "-o", "a.mtx")
        cls.trisweep("solve", "a.mtx", "--grid", "2x1x2", "--json", "run.json", "--traffic", "run.csv", "--trace",
                     "trace.json", ranks=4)  # fmt: skip
        cls.trisweep("solve", "a.mtx", "--nrhs", "3", "--compress", "0.001", "--json", "one.json")
        cls.trisweep("bem", "--object", "sphere", "--n", "1000", "--json", "bem.json", "--block-map", "bem.svg")

    @classmethod
    def trisweep(cls, *words, ranks=1):
        find_trisweep(None).run(
            [str(cls.folder / word) if word[0].isalpha() and "." in word else word for word in words], ranks
        )

    def page(self, *words):
        names = [str(self.folder / word) if "." in word else word for word in words]
        output = self.folder / "page.html"
        with contextlib.redirect_stdout(io.StringIO()) as said:
            self.assertEqual(run([*names, "-o", str(output)]), 0)
        self.assertEqual(said.getvalue(), f"wrote {output}\n")
        html = output.read_text()
        self.assertLess(len(html), 1_000_000)
        return Page(html)

    def test_of_four_ranks(self):
        page = self.page("run.json", "--traffic", "run.csv", "--trace", "trace.json")
        self.assertEqual(page.headings[1:], ["Answer", "System", "Time", "Ranks", "Messages", "Over time"])
        self.assertEqual(page.figures, 4)
        record = json.loads((self.folder / "run.json").read_text())
        text = page.text()
        self.assertIn("Solved: every equation holds", text)
        self.assertIn(f"{record['matrix']['nonzeros']:,} nonzeros", text)
        sent = sum(rank["messages_sent"] for rank in record["ranks"])
        self.assertIn(f"{sent:,} messages", text)
        self.assertNotIn("nan", text.lower().split())

    def test_of_compressed_factors_beside_others(self):
        page = self.page("one.json", "run.json")
        self.assertIn("Compression", page.headings)
        self.assertIn("Runs beside each other", page.headings)
        self.assertIn("3 right-hand sides", page.text())

    def test_of_boundary_elements(self):
        page = self.page("bem.json")
        self.assertEqual(page.headings[1:], ["Answer", "System", "Time", "Convergence", "Ranks of blocks"])
        self.assertIn("bicgstab converged", page.text())
        bem = json.loads((self.folder / "bem.json").read_text())["bem"]
        rows = re.findall(r"<tr><td>(\d+)</td><td>(\d+)</td></tr>", page.html.split("Ranks of blocks")[1])
        counts = [(str(k), str(count)) for k, count in enumerate(bem["blocks_of_rank"]) if count]
        self.assertEqual(rows, counts)

    def test_of_a_map_of_blocks(self):
        page = self.page("bem.json", "--block-map", "bem.svg")
        self.assertEqual(page.headings[-1], "Blocks")
        bem = json.loads((self.folder / "bem.json").read_text())["bem"]
        dense, low_rank = bem["dense_blocks"], bem["low_rank_blocks"]
        self.assertIn(f"{dense:,} dense blocks, red, and {low_rank:,} low-rank", page.text())
        self.assertGreater(page.html.count("<rect"), dense + low_rank)

    def test_take_no_picture_but_of_blocks(self):
        picture = (self.folder / "bem.svg").read_text()
        script = picture.replace("</svg>", "<script>alert(1)</script>\n</svg>")
        for text in ("", "hello", script, picture.replace("<rect x", '<rect onload="f()" x')):
            (self.folder / "odd.svg").write_text(text)
            with self.subTest(text[-60:]), self.assertRaisesRegex(UserError, "odd.svg is not a map of blocks"):
                self.page("bem.json", "--block-map", "odd.svg")
        with self.assertRaisesRegex(UserError, "no record of bem"):
            self.page("run.json", "--block-map", "bem.svg")

    def test_have_the_numbers_of_the_record_as_text(self):
        page = self.page("run.json", "--traffic", "run.csv")
        record = json.loads((self.folder / "run.json").read_text())
        keys = ("floating_point_seconds", "intra_grid_seconds", "inter_grid_seconds", "vector_seconds")
        for rank in record["ranks"]:
            cells = "".join(f"<td>{seconds(rank[key])}</td>" for key in keys)
            self.assertIn(f"<tr><td>{rank['rank']}</td>{cells}</tr>", page.html)
        for name, value in (
            ("factorization", record["factor"]["seconds"]),
            ("each answer", record["solve"]["answer_seconds_median"]),
        ):
            self.assertIn(f"<tr><td>{name}</td><td>{seconds(value)}</td></tr>", page.html)
        sent = sum(map(int, re.findall(r"<tr><td>\d+ to \d+</td><td>(\d+)</td>", page.html)))
        self.assertEqual(sent, sum(rank["messages_sent"] for rank in record["ranks"]))

    def test_seconds_are_written_as_people_do(self):
        self.assertEqual(
            [seconds(v) for v in (14.0, 2.09, 0.0123, 4e-5, 2e-7, 12345.0, None)],
            ["14 s", "2.09 s", "12.3 ms", "40 us", "0.2 us", "12,345 s", "unknown"],
        )

    def test_of_bad_answers(self):
        record = json.loads((self.folder / "run.json").read_text())
        for change, words in (
            ({"unsolved": [0]}, "1 of 1 right-hand sides do not have an accepted solution"),
            ({"componentwise_backward_error": None, "unsolved": [0], "forward_error_bound": None}, "1 of 1"),
        ):
            document = {**record, "solve": {**record["solve"], **change}}
            (self.folder / "bad.json").write_text(json.dumps(document))
            self.assertIn(words, self.page("bad.json").text())
        record["factor"]["numerically_singular"] = True
        (self.folder / "bad.json").write_text(json.dumps(record))
        self.assertIn("singular to working precision", self.page("bad.json").text())

    def test_of_what_solved_nothing(self):
        self.trisweep("solve", "a.mtx", "--no-dependencies", "--json", "study.json")
        self.trisweep("predict", "a.mtx", "--machine", "cori-haswell", "--ranks", "4", "--json", "predicted.json")
        for name in ("study.json", "predicted.json"):
            text = self.page(name).text()
            self.assertIn("nothing was solved", text)
            self.assertNotIn("every equation", text)

    def test_escape_what_records_say(self):
        record = json.loads((self.folder / "run.json").read_text())
        record["matrix"]["name"] = "<script>alert(1)</script>&.mtx"
        (self.folder / "odd.json").write_text(json.dumps(record))
        self.assertIn("<script>alert(1)</script>&.mtx", self.page("odd.json").text())

    def test_refuse_what_is_no_record(self):
        before = sorted(self.folder.iterdir())
        for name, content, words in (
            ("text.json", "hello", "is not JSON"),
            ("list.json", "[1]", "not the record of a solve"),
            ("tune.json", '{"matrix": {}, "tune": {}}', "not the record of a solve"),
        ):
            (self.folder / name).write_text(content)
            with self.subTest(name), self.assertRaisesRegex(UserError, f"{name}.*{words}"):
                run([str(self.folder / name), "-o", str(self.folder / "none.html")])
            (self.folder / name).unlink()
        with self.assertRaisesRegex(UserError, "cannot read"):
            run([str(self.folder / "missing.json"), "-o", str(self.folder / "none.html")])
        with self.assertRaisesRegex(UserError, "line 2"):
            (self.folder / "t.csv").write_text("from,to,kind,messages,bytes\n0,1,broadcast,many,3\n")
            run([str(self.folder / "run.json"), "--traffic", str(self.folder / "t.csv"), "-o", "none.html"])
        (self.folder / "t.csv").unlink()
        with self.assertRaisesRegex(UserError, "trace"):
            run([str(self.folder / "run.json"), "--trace", str(self.folder / "run.json"), "-o", "none.html"])
        with self.assertRaisesRegex(UserError, "html"):
            run([str(self.folder / "run.json"), "-o", "page.pdf"])
        self.assertEqual(sorted(self.folder.iterdir()), before)


class CriticalPaths(unittest.TestCase):
    def test_follow_the_messages_that_ranks_waited_for(self):
        trace = Trace()
        trace.spans[0] = [Span("products", 0, 5), Span("send", 5, 5.5), Span("products", 5.5, 6)]
        trace.spans[1] = [Span("products", 0, 1), Span("idle", 1, 6), Span("receive", 6, 6.2), Span("products", 6.2, 9)]
        trace.arrivals[1] = [(6.1, 0, 5.2)]
        self.assertEqual(critical_path(trace), [(0, 0.0, 5.2), (1, 6.1, 9)])

    def test_stay_where_messages_were_early(self):
        trace = Trace()
        trace.spans[0] = [Span("send", 0, 0.5)]
        trace.spans[1] = [Span("products", 0, 4), Span("receive", 4, 4.1), Span("products", 4.1, 9)]
        trace.arrivals[1] = [(4.05, 0, 0.2)]
        self.assertEqual(critical_path(trace), [(1, 0.0, 9)])

    def test_of_nothing(self):
        self.assertEqual(critical_path(Trace()), [])


if __name__ == "__main__":
    unittest.main()
