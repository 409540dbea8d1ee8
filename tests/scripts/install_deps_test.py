"""scripts/install-deps with stand-ins for dpkg-query, apt-cache and apt-get."""

import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGES = [line.split()[:2] for line in (ROOT / "scripts/packages.txt").read_text().splitlines()
            if line and not line.startswith("#")]


class InstallDeps(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def program(self, name, text):
        path = pathlib.Path(self.folder.name) / name
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)

    def install(self, missing, *options, without=()):
        """What the script asks of apt-get when `missing` are the packages that are not installed, in an archive without
        some."""
        calls = pathlib.Path(self.folder.name) / "calls"
        calls.write_text("")
        self.program("dpkg-query", f'case " {" ".join(missing)} " in *" $3 "*) exit 1;; esac\n'
                                   'printf "install ok installed"\n')
        self.program("apt-cache", f'failed=0\nfor name; do case " {" ".join(without)} show " in *" $name "*) failed=100;; '
                                  '*) echo "Package: $name";; esac; done\nexit $failed\n')
        self.program("apt-get", f'echo "$*" >> {calls}\n')
        self.program("sudo", '"$@"\n')
        result = subprocess.run([ROOT / "scripts/install-deps", *options], capture_output=True, text=True, timeout=60,
                                env={**os.environ, "PATH": f"{self.folder.name}:{os.environ['PATH']}"})
        return result, calls.read_text().splitlines()

    def test_does_nothing_when_all_are_there(self):
        result, calls = self.install([])
        self.assertEqual((result.returncode, calls), (0, []), result.stderr)

    def test_installs_what_is_missing_and_no_more(self):
        result, calls = self.install(["cmake", "zlib1g-dev"])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(calls), 2)
        self.assertIn("update", calls[0])
        self.assertEqual(calls[1].split()[-2:], ["cmake", "zlib1g-dev"])
        self.assertIn("cmake zlib1g-dev", result.stdout)

    def test_goes_on_without_what_the_archive_lacks(self):
        result, calls = self.install(["cmake", "ccache", "zlib1g-dev"], without=["ccache"])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(calls[1].split()[-2:], ["cmake", "zlib1g-dev"])
        self.assertIn("no ccache", result.stdout)

    def test_other_groups_only_when_asked_for(self):
        for group in ("develop", "bench", "mpich", "hip"):
            names = [package for its_group, package in PACKAGES if its_group == group]
            self.assertEqual(self.install(names)[1], [])
            self.assertEqual(self.install(names, f"--{group}")[1][-1].split()[-len(names):], names)

    def test_solving_alone_needs_no_more(self):
        names = {group: [package for its_group, package in PACKAGES if its_group == group] for group in ("solve", "build")}
        calls = self.install(names["solve"] + names["build"], "--solve")[1]
        self.assertEqual(calls[-1].split()[-len(names["solve"]):], names["solve"])
        self.assertEqual(self.install(names["build"], "--solve")[1], [])

    def test_refuses_unknown_options(self):
        result, calls = self.install(["cmake"], "--everything")
        self.assertEqual((result.returncode, calls), (2, []))

    def test_every_package_says_why_once(self):
        names = [package for _, package in PACKAGES]
        self.assertEqual(len(names), len(set(names)))
        for line in (ROOT / "scripts/packages.txt").read_text().splitlines():
            if line and not line.startswith("#"):
                self.assertGreater(len(line.split()), 2, line)


if __name__ == "__main__":
    unittest.main()
