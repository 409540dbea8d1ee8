"""trisweep completion and trisweep manual: that shells and man know what the help knows."""
import re
import shutil
import subprocess
import unittest

from command import CommandTest


class ShellSupport(CommandTest):
    def commands(self):
        general = self.succeed("--help").out
        names = re.findall(r"^  (\w+)  ", general[general.index("Subcommands:"):], re.MULTILINE)
        self.assertIn("solve", names)
        return names

    def options(self, command):
        """The long names in the first column of its help."""
        columns = re.findall(r"^  (-\S+)", self.succeed(command, "--help").out, re.MULTILINE)
        return [name for names in columns for name in names.split(",") if name.startswith("--")]

    def completed(self, *words):
        """What bash offers for the last of the words."""
        self.succeed("completion", "bash", "-o", "trisweep.bash")
        line = " ".join(f"'{word}'" for word in words)
        script = f"source ./trisweep.bash; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _trisweep; echo ${{COMPREPLY[@]}}"
        result = subprocess.run(["bash", "-uc", script], cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(result.stderr, "")
        return result.stdout.split()

    def test_bash_completes_commands_options_and_choices(self):
        self.assertEqual(self.completed("trisweep", "so"), ["solve"])
        self.assertEqual(self.completed("trisweep", "ben"), ["bench"])
        self.assertEqual(self.completed("trisweep", "solve", "--mapping", ""), ["block-cyclic", "proportional"])
        self.assertEqual(self.completed("trisweep", "solve", "--mapping", "p"), ["proportional"])
        self.assertEqual(self.completed("trisweep", "solve", "a.mtx", "--pre"), ["--precision", "--preconditioner"])
        self.assertEqual(self.completed("trisweep", "completion", "z"), ["zsh"])
        self.assertEqual(self.completed("trisweep", "solve", "--rhs", ""), [], "names of files are bash's own")

    def test_every_command_and_option_is_in_each_script_and_page(self):
        scripts = {shell: self.succeed("completion", shell).out for shell in ("bash", "zsh", "fish")}
        self.succeed("manual", "-o", ".")
        for command in self.commands():
            page = (self.folder / f"trisweep-{command}.1").read_text().replace("\\-", "-")
            for option in self.options(command):
                fish = rf"seen_subcommand_from {command}'.* -l {option[2:]}( |$)"
                has = {"page": option in page, "bash": re.search(rf"[' ]{option}[' ]", scripts["bash"]),
                       "zsh": f"'{option}[" in scripts["zsh"], "fish": re.search(fish, scripts["fish"], re.MULTILINE)}
                self.assertEqual([where for where, found in has.items() if not found], [], f"{command} {option}")
        self.assertIn("trisweep-solve (1)", (self.folder / "trisweep.1").read_text().replace("\\-", "-"))

    def test_shells_and_man_that_are_here_understand_them(self):
        for shell in ("bash", "zsh", "fish"):
            self.succeed("completion", shell, "-o", f"trisweep.{shell}")
            if shutil.which(shell) is None:
                print(f"no {shell} here: its script is not read")
                continue
            result = subprocess.run([shell, "-n", f"trisweep.{shell}"], cwd=self.folder, capture_output=True, text=True, timeout=60)
            self.assertEqual((result.returncode, result.stderr), (0, ""), shell)
        if shutil.which("groff") is None:
            print("no groff here: the manual pages are not formatted")
            return
        page = self.succeed("manual", "solve").out
        result = subprocess.run(["groff", "-man", "-Tascii", "-ww"], input=page, capture_output=True, text=True, timeout=60)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("--preconditioner TEXT:{lu,", re.sub(".\b", "", result.stdout), "bold is typed twice")

    def test_an_unknown_command_has_no_page(self):
        result = self.run_here("manual", "solv")
        self.assertEqual(result.status, 2)
        self.assertIn("there is no command 'solv'", result.err)


if __name__ == "__main__":
    unittest.main()
