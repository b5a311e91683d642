"""Checks that the types of the public names are known to users: the share that pyright counts must not fall."""

import json
import subprocess
import sys
from pathlib import Path

#: The share that must be reached. The rest are overrides of untyped base classes, and names behind pandas and JAX.
LEAST = 0.9

pyright = Path(sys.executable).with_name("pyright")
command = [pyright, "--pythonpath", sys.executable, "--ignoreexternal", "--outputjson", "--verifytypes", "stier"]
found = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)["typeCompleteness"]
share = found["completenessScore"]
print(f"types of public names: {share:.1%}")
if share < LEAST:
    wrong = [symbol for symbol in found["symbols"] if symbol["isExported"] and not symbol["isTypeKnown"]]
    print(*(symbol["name"] for symbol in wrong), sep="\n")
    sys.exit(f"at least {LEAST:.0%} must be known")
