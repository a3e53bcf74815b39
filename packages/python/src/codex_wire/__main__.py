"""`python -m codex_wire` is the program `codex-wire`."""

import sys

from codex_wire._program import main

sys.exit(main())
