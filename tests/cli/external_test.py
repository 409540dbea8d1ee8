"""`trisweep NAME` runs the program trisweep-NAME: where it is looked for, and what it gets and gives back."""
import os
import shutil
import subprocess
import unittest

from command import BINARY, CommandTest

SAYS = '#!/bin/sh\necho "{}"\nfor word in "$@"; do echo "[$word]"; done\n'


class External(CommandTest):
    def setUp(self):
        super().setUp()
        self.binary = self.path("checkout/build/trisweep")
        self.binary.parent.mkdir(parents=True)
        try:
            os.link(BINARY, self.binary)
        except OSError:  # another file system
            shutil.copy(BINARY, self.binary)

    def program(self, folder, name, text):
        file = self.path(folder) / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(0o755)

    def run_command(self, *words):
        return subprocess.run([self.binary, *words], capture_output=True, text=True, timeout=60, cwd=self.folder,
                              env={**os.environ, "PATH": f"{self.path('on-path')}:{os.environ['PATH']}"})

    def test_is_found_beside_the_binary_then_in_the_virtual_environment_then_on_path(self):
        folders = ["checkout/build", "checkout/.venv/bin", "on-path"]
        for folder in folders:
            self.program(folder, "trisweep-draw", SAYS.format(folder))
        for folder in folders:
            result = self.run_command("draw")
            self.assertEqual((result.returncode, result.stdout), (0, folder + "\n"), result.stderr)
            (self.path(folder) / "trisweep-draw").unlink()
        self.assertIn("there is no command 'draw'", self.run_command("draw").stderr)

    def test_gets_the_arguments_as_they_are(self):
        self.program("on-path", "trisweep-draw", SAYS.format("$TRISWEEP_BINARY"))
        result = self.run_command("draw", "--help", "two words", "", "-n")
        self.assertEqual(result.stdout.splitlines(), [str(self.binary), "[--help]", "[two words]", "[]", "[-n]"])

    def test_its_exit_status_is_that_of_the_command(self):
        self.program("on-path", "trisweep-draw", "#!/bin/sh\nexit 7\n")
        self.assertEqual(self.run_command("draw").returncode, 7)

    def test_never_hides_a_command_that_is_built_in(self):
        self.program("on-path", "trisweep-info", SAYS.format("not this"))
        result = self.run_command("info", "--help")
        self.assertEqual(result.returncode, 0)
        self.assertNotIn("not this", result.stdout)

    def test_a_file_that_is_no_program_is_passed_over(self):
        self.path("on-path").mkdir()
        (self.path("on-path") / "trisweep-draw").write_text("just text")
        self.assertEqual(self.run_command("draw").returncode, 2)

    def test_a_program_that_cannot_be_started_is_named(self):
        self.program("on-path", "trisweep-draw", "#!/nowhere/interpreter\n")
        result = self.run_command("draw")
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stderr, r"trisweep: error: .*trisweep-draw: cannot be run: .*\n  remedy: ")

    def test_commands_of_the_python_package_say_how_to_get_it(self):
        for name in "bench", "report":
            if shutil.which(f"trisweep-{name}"):
                continue  # this machine has it
            result = self.run_command(name)
            self.assertEqual(result.returncode, 2)
            self.assertRegex(result.stderr, rf"trisweep-{name} was not found\n  remedy: .*scripts/build --python")

    def test_a_path_is_no_command(self):
        self.program("on-path/trisweep-", "draw", SAYS.format("not this"))
        for word in "/draw", "../draw", "":
            result = self.run_command(word)
            self.assertEqual((result.returncode, result.stdout), (2, ""))


if __name__ == "__main__":
    unittest.main()
