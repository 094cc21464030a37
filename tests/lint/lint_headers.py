#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Each public header stands alone, in C11 and C++11, for both compilers."""
import tap

WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", "-Wundef"]
HEADERS = sorted((tap.ROOT / "include/weft").glob("*.h"))


def compile_alone(compiler, language, standard):
    problems = []
    for header in HEADERS:
        # Twice: the guard must hold.
        program = f"#include <weft/{header.name}>\n" * 2
        done = tap.run([compiler, "-x", language, f"-std={standard}", *WARNINGS,
                        "-I", str(tap.ROOT / "include"), "-"], stdin=program)
        if done.returncode != 0:
            problems.append(f"{header.name} as {standard} with {compiler}:\n{done.stderr}")
    tap.none(problems)


def test_headers_alone_in_c11_with_gcc():
    compile_alone("gcc", "c", "c11")


def test_headers_alone_in_c11_with_clang():
    compile_alone("clang", "c", "c11")


def test_headers_alone_in_cpp11_with_gcc():
    compile_alone("g++", "c++", "c++11")


def test_headers_alone_in_cpp11_with_clang():
    compile_alone("clang++", "c++", "c++11")


def test_every_header_gives_its_functions_c_linkage():
    tap.none(f"{h.name} lacks extern \"C\"" for h in HEADERS
             if 'extern "C" {' not in h.read_text(encoding="utf-8"))


tap.main(globals())
