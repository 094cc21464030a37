# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The files of the tree as the lint suite sees them: everything that is or may be committed."""
import os
import subprocess

import tap

# Data and texts with a form of their own: no rule of ours holds for their lines.
DATA_FOLDERS = ("tests/fuzz/corpus/", "tests/data/", "LICENSES/", "examples/")


def files():
    """All files, as paths from the root."""
    listed = subprocess.run(["git", "-C", str(tap.ROOT), "ls-files", "-co", "--exclude-standard"],
                            text=True, check=True, stdout=subprocess.PIPE).stdout.splitlines()
    return sorted(path for path in set(listed) if (tap.ROOT / path).is_file())


def texts():
    """(path, text) of every file that people write."""
    for path in files():
        if path.startswith(DATA_FOLDERS) and not path.endswith(".c"):
            continue
        data = (tap.ROOT / path).read_bytes()
        if b"\0" not in data:
            yield path, data.decode("utf-8", errors="replace")


def is_script(path, text, interpreter):
    """Whether a file is a program for this interpreter."""
    return os.access(tap.ROOT / path, os.X_OK) and interpreter in text.split("\n", 1)[0]
