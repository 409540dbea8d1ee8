"""scripts/check-layers on small trees, right and wrong."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check-layers"


class CheckLayers(unittest.TestCase):
    def check(self, cmake, files, rooms=None):
        """Runs the script on a tree of `files` (path below src/trisweep -> text) and of `rooms` (path -> text)."""
        with tempfile.TemporaryDirectory() as folder:
            texts = {f"src/trisweep/{path}": text for path, text in {"CMakeLists.txt": cmake, **files}.items()}
            for name, text in {**texts, **(rooms or {})}.items():
                path = pathlib.Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return subprocess.run([sys.executable, SCRIPT, folder], capture_output=True, text=True, timeout=60)

    CHAIN = "trisweep_stage(core)\ntrisweep_stage(matrix USES core LINK ZLIB::ZLIB)\ntrisweep_stage(plan USES matrix)\n"

    def test_accepts_own_direct_and_transitive_stages(self):
        result = self.check(self.CHAIN, {
            "core/types.hpp": "#include <vector>\n",
            "matrix/csr.hpp": '#include "trisweep/core/types.hpp"\n',
            "plan/plan.cpp": '#include "trisweep/core/types.hpp"\n#include "trisweep/matrix/csr.hpp"\n',
        })
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_rejects_an_include_of_a_lower_stage_with_its_line(self):
        result = self.check(self.CHAIN, {
            "core/types.hpp": '\n#  include "trisweep/plan/plan.hpp"\n',
            "plan/plan.hpp": "",
        })
        self.assertEqual(result.returncode, 1)
        self.assertIn("src/trisweep/core/types.hpp:2:", result.stderr)
        self.assertIn("does not use stage plan", result.stderr)

    def test_rejects_an_unused_sibling(self):
        result = self.check("trisweep_stage(core)\ntrisweep_stage(a USES core)\ntrisweep_stage(b USES core)\n",
                            {"a/a.hpp": "", "b/b.cpp": '#include "trisweep/a/a.hpp"\n'})
        self.assertIn("may not include", result.stderr)

    def test_rejects_an_order_that_is_not_topological(self):
        result = self.check("trisweep_stage(matrix USES core)\ntrisweep_stage(core)\n", {})
        self.assertEqual(result.returncode, 1)
        self.assertIn("stage matrix uses core, which comes after it", result.stderr)

    def test_rejects_an_unknown_stage(self):
        result = self.check("trisweep_stage(core USES kernel)\n", {})
        self.assertIn("kernel, which is no stage", result.stderr)

    def test_rejects_a_folder_that_is_no_stage(self):
        result = self.check("trisweep_stage(core)\n", {"extra/x.hpp": ""})
        self.assertIn("folder extra is not a stage", result.stderr)

    def test_a_room_stands_on_the_library(self):
        result = self.check(self.CHAIN, {"core/types.hpp": "", "matrix/csr.hpp": ""}, {
            "cmake/TrisweepRooms.cmake": "trisweep_stage(bem ROOM apps/bem USES matrix)\n",
            "apps/bem/mesh.hpp": '#include "trisweep/core/types.hpp"\n',
            "apps/bem/mesh.cpp": '#include "apps/bem/mesh.hpp"\n#include "trisweep/matrix/csr.hpp"\n',
        })
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_rejects_a_stage_that_includes_a_room(self):
        rooms = {"cmake/TrisweepRooms.cmake": "trisweep_stage(bem ROOM apps/bem USES core)\n", "apps/bem/mesh.hpp": ""}
        result = self.check(self.CHAIN, {"core/types.hpp": '#include "apps/bem/mesh.hpp"\n'}, rooms)
        self.assertIn("src/trisweep/core/types.hpp:1: stage core may not include", result.stderr)

    def test_rejects_a_room_that_includes_what_it_does_not_use(self):
        result = self.check(self.CHAIN, {"plan/plan.hpp": ""}, {
            "cmake/TrisweepRooms.cmake": "trisweep_stage(bem ROOM apps/bem USES core)\n",
            "apps/bem/mesh.hpp": '#include "trisweep/plan/plan.hpp"\n',
        })
        self.assertIn("apps/bem/mesh.hpp:1: stage bem may not include", result.stderr)

    def test_rejects_missing_relative_and_angled_headers(self):
        result = self.check("trisweep_stage(core)\n", {
            "core/a.cpp": '#include "trisweep/core/none.hpp"\n#include "a.hpp"\n#include <trisweep/core/a.hpp>\n',
            "core/a.hpp": "",
        })
        self.assertEqual(result.stderr.count("error:"), 3, result.stderr)

    def test_reads_calls_over_several_lines(self):
        result = self.check("trisweep_stage(core)\ntrisweep_stage(matrix\n  USES core\n  LINK core)\n",
                            {"core/a.hpp": "", "matrix/b.hpp": '#include "trisweep/core/a.hpp"\n'})
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_warns_about_long_files_without_failing(self):
        result = self.check("trisweep_stage(core)\n", {"core/a.cpp": "\n" * 301, "core/b.cpp": "\n" * 300})
        self.assertEqual(result.returncode, 0)
        self.assertIn("core/a.cpp: 301 lines", result.stdout)
        self.assertNotIn("core/b.cpp", result.stdout)


if __name__ == "__main__":
    unittest.main()
