"""page.py PROGRAM NAME: runs a program that is given as text."""

import sys

exec(compile(sys.argv[1], sys.argv[2], "exec"), {})
