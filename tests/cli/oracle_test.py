"""What the tests judge the command by: no number that is missing passes a limit."""
import math
import unittest

from command import backward_error, largest

NAN, INFINITY = math.nan, math.inf
IDENTITY = {(0, 0): 1.0, (1, 1): 1.0}


class Oracle(unittest.TestCase):
    def test_largest(self):
        self.assertEqual(largest([1.0, -3.0, 2.0]), 3)
        self.assertEqual(largest([3 - 4j]), 5)
        self.assertEqual(largest([]), 0)
        for values in ([NAN, 1.0], [1.0, NAN], [NAN], [INFINITY, NAN], [NAN, INFINITY], [complex(0, NAN), 1.0]):
            self.assertEqual(largest(values), INFINITY, values)

    def test_backward_error(self):
        self.assertEqual(backward_error(2, IDENTITY, [1.0, 2.0], [1.0, 2.0]), 0)
        self.assertAlmostEqual(backward_error(2, IDENTITY, [1.0, 2.0], [1.0, 3.0]), 1 / 5)
        for x in ([NAN, 2.0], [1.0, NAN], [INFINITY, 2.0], [1.0, -INFINITY]):
            self.assertEqual(backward_error(2, IDENTITY, x, [1.0, 2.0]), INFINITY, x)
        self.assertEqual(backward_error(2, IDENTITY, [1e308, 1.0], [1e308, 2.0]), INFINITY)  # no scale


if __name__ == "__main__":
    unittest.main()
