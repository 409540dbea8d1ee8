"""trisweep himv, and what trisweep bem has for devices: records, counts, refusals, and the trace."""
import unittest

from command import CommandTest


class Refusals(CommandTest):
    def fail_with(self, status, words, *arguments):
        result = self.run_here(*arguments)
        self.assertEqual(result.status, status, result)
        self.assertIn(words, result.err)


class Himv(Refusals):
    def himv(self, *arguments):
        self.succeed("himv", "--json", "run.json", *arguments)
        record = self.record("run.json")
        self.assertTrue(record["predicted"])
        return record["himv"]

    def test_one_kernel_and_batches(self):
        words = ("--object", "spheres", "--n", 3000)
        merged = self.himv(*words)
        batched = self.himv(*words, "--kernel", "batched", "--block-rows", 0)
        padded = self.himv(*words, "--kernel", "batched", "--block-rows", 0, "--padded", "--cut", "count")
        self.assertEqual(merged["launched"]["launches"], 1)
        self.assertGreater(batched["launched"]["launches"], 2)
        self.assertEqual(batched["launched"]["padding"], 0)
        self.assertGreater(padded["launched"]["numbers"], 2 * batched["launched"]["numbers"])
        self.assertGreater(padded["product_seconds"], batched["product_seconds"])
        self.assertGreaterEqual(merged["product_seconds"], merged["least_seconds"])

    def test_processes_of_nodes(self):
        words = ("--object", "spheres", "--n", 3000, "--block-rows", 32, "--nodes", 4)
        each = self.himv(*words, "--processes", 4)
        shared = self.himv(*words, "--gpus", 4)
        self.assertEqual((each["processes"], each["gpus"], shared["gpus"]), (4, 1, 4))
        self.assertGreater(each["iteration"]["gather_seconds"], shared["iteration"]["gather_seconds"])
        self.assertGreater(shared["numbers_max"], 3 * each["numbers_max"])

    def test_pipe2_is_never_slower_than_block(self):
        words = ("--object", "spheres", "--n", 3000, "--nodes", 8, "--pipelined")
        for latency in ("0", "1e-6", "1e-4", "1e-2"):
            seconds = [self.himv(*words, "--latency", latency, "--overlap", overlap)["iteration"]["seconds"]
                       for overlap in ("block", "pipe1", "pipe2")]
            self.assertEqual(seconds, sorted(seconds, reverse=True))

    def test_what_is_refused(self):
        words = ("himv", "--object", "spheres", "--n", 300)
        self.fail_with(2, "8 GPUs of each node", *words, "--processes", 4, "--gpus", 2)
        self.fail_with(2, "no description of its nodes' GPUs", *words, "--machine", "generic")
        self.fail_with(2, "blocks of rows are summed from panels as they are", *words, "--padded")
        self.fail_with(2, "--latency", *words, "--latency", "nan")


class OnDevices(Refusals):
    def test_products_on_devices_of_the_host(self):
        words = ("bem", "--object", "spheres", "--n", 600, "--json", "run.json")
        self.succeed(*words)
        cpu = self.record("run.json")["bem"]
        self.assertNotIn("device", cpu)
        for choice in (("--gpus", 2), ("--kernel", "batched", "--batch", 500, "--sums", "row-blocks")):
            self.succeed(*words, "--device", "emulated", *choice, ranks=2)
            record = self.record("run.json")["bem"]
            self.assertAlmostEqual(record["charge"] / cpu["charge"], 1, delta=1e-6)
            self.assertGreater(record["device"]["launched"]["panels"], 100)
            self.assertEqual(record["device"]["transfers"], 4 if "--gpus" in choice else 2)
        self.fail_with(2, "kernels for --device cuda", *words, "--device", "cuda")

    def test_the_trace_shows_all_gathers_beside_updates(self):
        words = ("bem", "--object", "spheres", "--n", 600, "--method", "pipelined-bicgstab", "--trace", "trace.json")
        self.succeed(*words, ranks=3)
        events = self.record("trace.json")["traceEvents"]
        spans = [e for e in events if e["ph"] == "X" and e["pid"] == 1]
        gathers = [e for e in spans if e["name"] == "all-gather"]
        updates = [e for e in spans if e["name"] == "vectors"]
        self.assertGreater(len(updates), 5)
        for update in updates:
            self.assertTrue(any(g["ts"] <= update["ts"] < g["ts"] + g["dur"] for g in gathers))


if __name__ == "__main__":
    unittest.main()
