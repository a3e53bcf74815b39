#!/usr/bin/env python3
"""The client `right.py` with the bug that nearly every client has had: a turn that is over succeeded."""

import sys

sys.dont_write_bytecode = True

import right  # noqa: E402

right.turn_succeeded = lambda turn: True
right.run_succeeded = lambda events, status: True

if __name__ == "__main__":
    right.main()
