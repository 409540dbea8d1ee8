"""trisweep doctor: findings alone and on several ranks, for people and as JSON."""
import os
import unittest

from command import CommandTest

NAMES = ["trisweep", "MPI", "processors", "BLAS", "huge pages", "memory"]


class Doctor(CommandTest):
    def test_findings(self):
        for ranks in (0, 3):
            with self.subTest(ranks=ranks):
                result = self.succeed("doctor", "--json", "doctor.json", ranks=ranks)
                record = self.record("doctor.json")
                findings = record["findings"]
                self.assertEqual([f["name"] for f in findings[:6]], NAMES)
                self.assertEqual({f["name"] for f in findings[6:]}, {"device", "transport"})
                self.assertEqual(record["version"], self.succeed("--version").out.strip())
                for finding in findings:
                    self.assertIn(finding["value"].split("\n")[0], result.out)
                    self.assertEqual(set(finding), {"name", "value", "advice"})
                self.assertIn(f"{ranks} ranks" if ranks else "1 rank,", findings[1]["value"])
                self.assertIn("native: ready", [f["value"] for f in findings])
                self.assertIn("two-sided: ready", [f["value"] for f in findings])

    def test_more_ranks_than_processors_are_told(self):
        for ranks, told in ((0, False), (os.cpu_count() + 1, True)):
            self.succeed("doctor", "--json", "doctor.json", ranks=ranks)
            processors = next(f for f in self.record("doctor.json")["findings"] if f["name"] == "processors")
            self.assertEqual("more ranks than processors" in processors["advice"], told, processors)

    def test_standard_output(self):
        result = self.succeed("doctor", "--json", "-")
        self.assertTrue(result.out.startswith("{"), result)


if __name__ == "__main__":
    unittest.main()
