"""``python -m stier`` is the command line."""

from __future__ import annotations

import sys

from stier.cli import main

if __name__ == "__main__":
    sys.exit(main())
