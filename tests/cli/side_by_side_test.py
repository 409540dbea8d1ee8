"""Runs beside each other: none depends on files of Open MPI that others make and remove, nor starts a daemon."""
import ctypes
import os
import unittest
from unittest import mock

from command import CommandTest


class SideBySide(CommandTest):
    def setUp(self):
        super().setUp()
        self.temporary = self.path("temporary")
        self.temporary.mkdir()
        # A file where Open MPI's usual folder would be: who depends on that one fails every time, and not, as when
        # another run removes it, once in a hundred.
        self.usual = f"ompi.{os.uname().nodename}.{os.getuid()}"
        (self.temporary / self.usual).write_text("")
        kept = {name: value for name, value in os.environ.items() if not name.startswith("OMPI_MCA_orte_")}
        environment = mock.patch.dict(os.environ, {**kept, "TMPDIR": str(self.temporary)}, clear=True)
        environment.start()
        self.addCleanup(environment.stop)

    def test_a_lone_process_has_a_folder_of_its_own(self):
        for isolated in ("0", "1"):
            with mock.patch.dict(os.environ, {"OMPI_MCA_ess_singleton_isolated": isolated}):
                self.succeed("gallery", "poisson3d", "--n", 4, "-o", "a.mtx")
        self.assertEqual(os.listdir(self.temporary), [self.usual], "files left behind")

    def test_so_have_ranks(self):
        self.succeed("gallery", "poisson3d", "--n", 4, "-o", "a.mtx", ranks=2)
        self.assertEqual(os.listdir(self.temporary), [self.usual], "files left behind")

    def test_a_lone_process_starts_no_other_process(self):
        names = ("OMPI_MCA_ess_singleton_isolated", "OMPI_MCA_pml")
        become_parent_of_orphans = (36, 1)  # PR_SET_CHILD_SUBREAPER
        self.assertEqual(ctypes.CDLL(None).prctl(*become_parent_of_orphans), 0)
        with mock.patch.dict(os.environ, {k: v for k, v in os.environ.items() if k not in names}, clear=True):
            self.succeed("gallery", "poisson3d", "--n", 4, "-o", "a.mtx")
        with self.assertRaises(ChildProcessError):
            os.waitpid(-1, 0)

    @unittest.skipIf(os.environ.get("TRISWEEP_MPI") == "mpich", "MPICH has no such folder")
    def test_what_the_user_set_stays(self):
        with mock.patch.dict(os.environ, {"OMPI_MCA_orte_top_session_dir": str(self.temporary / self.usual)}):
            self.assertNotEqual(self.run_here("gallery", "poisson3d", "--n", 4, "-o", "a.mtx").status, 0)


if __name__ == "__main__":
    unittest.main()
