#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The sources as the build and other programs see them: dead files, formatting, analyzers."""
import concurrent.futures
import json
import os
import pathlib
import re

import tap
import tree

BUILD = pathlib.Path(os.environ["WEFT_BUILD"])
JOBS = len(os.sched_getaffinity(0))
# `make lint` has all analyzed, and in all depth; `make test` what people install, at little cost.
DEEP = "WEFT_LINT_DEEP" in os.environ


def c_files():
    return [path for path in tree.files() if path.endswith((".c", ".h"))]


def compiled_sources():
    """Files of the compile database, once each."""
    entries = json.loads((BUILD / "compile_commands.json").read_text(encoding="utf-8"))
    paths = {(pathlib.Path(e["directory"]) / e["file"]).resolve() for e in entries}
    return sorted(p for p in paths if p.is_relative_to(tap.ROOT) and p.suffix == ".c")


def test_every_c_file_is_built():
    built = {str(p.relative_to(tap.ROOT)) for p in compiled_sources()}
    tap.none(f"{path} is built by no meson.build: name it there or remove it"
             for path in tree.files() if path.endswith(".c") and path not in built
             # Built against the installed library by tests/e2e, and for the guest by its image.
             and not path.startswith(("examples/", "tests/interop/")))


def test_every_test_script_is_run():
    meson = "".join(text for path, text in tree.texts() if path.endswith("meson.build"))
    tap.none(f"{path} is named in no meson.build: it never runs"
             for path, text in tree.texts()
             if path.startswith("tests/") and text.startswith("#!")
             and f"'{pathlib.PurePath(path).name}'" not in meson
             and f"'{pathlib.PurePath(path).stem}': [" not in meson)


def test_clang_format_would_change_nothing():
    done = tap.run(["clang-format", "--dry-run", "-Werror", *c_files()], cwd=tap.ROOT)
    tap.succeeds(done, "try clang-format -i FILE")


def is_installed(source):
    return source.is_relative_to(tap.ROOT / "src")


def tidy(source):
    # The path-sensitive half takes ten times as long, and tests run under the sanitizers.
    checks = [] if DEEP and is_installed(source) else ["--checks=-clang-analyzer-*"]
    done = tap.run(["clang-tidy", "--quiet", "-p", str(BUILD), *checks,
                    "--extra-arg=-Wno-unknown-warning-option", str(source)], cwd=tap.ROOT,
                   timeout=600)
    return done.stdout if done.returncode != 0 or "warning:" in done.stdout else ""


def test_clang_tidy_is_quiet():
    # The longest first: the others fill the gaps.
    sources = sorted((p for p in compiled_sources() if DEEP or is_installed(p)),
                     key=lambda p: -p.stat().st_size)
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        said = [text for text in pool.map(tidy, sources) if text]
    tap.none(text.replace(f"{tap.ROOT}/", "") for text in said)


def test_clang_tidy_finds_a_planted_fault():
    with tap.scratch() as folder:
        source = pathlib.Path(folder, "fault.c")
        source.write_text("int f(int *p);\nint f(int *p)\n{\n    if (p != 0)\n        return 1;\n"
                          "    return *p;\n}\n", encoding="utf-8")
        done = tap.run(["clang-tidy", "--quiet", f"--config-file={tap.ROOT}/.clang-tidy",
                        str(source), "--"])
    tap.contains(done.stdout, "NullDereference", "clang-tidy on a null dereference")


def test_cppcheck_is_quiet():
    done = tap.run(["cppcheck", f"-j{JOBS}", "--enable=warning,performance,portability",
                    "--inline-suppr", "--suppress=missingIncludeSystem", "--std=c11", "--quiet",
                    "--error-exitcode=1", "-D_GNU_SOURCE", "-DWEFT_CHECKED=1",
                    "-DWEFT_VERSION=\"0\"", "-Iinclude", "-Isrc",
                    *(["src", "tests", "bench"] if DEEP else ["src"])],
                   cwd=tap.ROOT, timeout=600)
    tap.succeeds(done)


def test_shellcheck_is_quiet():
    scripts = [path for path, text in tree.texts()
               if path.endswith(".sh") or re.match(r"#!/.*\b(ba)?sh\b", text)]
    assert scripts
    done = tap.run(["shellcheck", "-x", *scripts], cwd=tap.ROOT)
    tap.succeeds(done)


def test_python_scripts_compile_without_a_warning():
    for path, text in tree.texts():
        if path.endswith(".py") or tree.is_script(path, text, "python3"):
            done = tap.run(["/usr/bin/python3", "-W", "error", "-c",
                            "import sys; compile(sys.stdin.read(), sys.argv[1], 'exec')", path],
                           stdin=text)
            tap.succeeds(done)


tap.main(globals())
