# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The short commands in front of meson. Each installs the Debian packages it misses (packages.txt).
PREFIX ?= /usr/local
DESTDIR ?=
SOAK_SECONDS ?= 600
# A parallel job starts on 324 hosts, and the SA says BUSY: here policies part company.
DEMO_STORM = --topology examples/fat-tree-324.topo --scenario mpi-start --sa-overload busy
DEMO_REPORT = build/storm.html

# What is installed: optimized, without the checks that stop the program, without the tests.
RELEASE = --buildtype=release -Dchecked=false -Dtests=false

.PHONY: all demo test interop lint bench soak install docs clean packages-build packages-test

all: packages-build
	@test -f build/build.ninja || CC=gcc meson setup build $(RELEASE)
	@ninja -C build

demo: all
	build/src/cli/weft storm $(DEMO_STORM) --report $(DEMO_REPORT)
	@echo "The curves over time are in $(DEMO_REPORT): open it with a browser."
	@echo
	@tools/demo-fabric build
	@echo
	@echo "RDMA over TCP, both ends on this machine:"
	build/src/cli/weft iwarp ping --loopback --count 5 --crc on --verbose

test: packages-test
	@tools/run-tests

# Against the kernel's iWARP in a virtual machine. The script installs what it needs, or skips all.
interop:
	@tools/run-interop

lint: packages-test
	@tools/run-tests --lint

# Figures for people: nothing passes or fails by the clock.
bench: all
	@meson test -C build --no-rebuild --benchmark --verbose --num-processes 1

# Hunts: each fuzzer for SOAK_SECONDS, then random simulation.
soak: packages-test
	@tools/run-tests --soak $(SOAK_SECONDS)

# Who installs to a DESTDIR makes a package, which has its own way to tell the dynamic linker.
# The shell takes both names from its environment: they may hold blanks.
install: export PREFIX := $(PREFIX)
install: export DESTDIR := $(DESTDIR)
install: all
	@meson configure build -Dprefix="$$(realpath -ms "$$PREFIX")"
	@meson install -C build
	@test -n "$$DESTDIR" || tools/announce-library \
		"$$(sed -n 's,/libweft\.so\.0$$,,p' build/meson-logs/install-log.txt)"

# Everything under docs/ that is made from the sources.
docs: packages-test
	@tools/coverage
	@tools/update-wire-tables
	@tools/generate-states
	@tools/run-doxygen build/docs

clean:
	rm -rf build build-gcc build-asan build-release build-soak build-tsan

packages-build:
	@tools/setup build

packages-test:
	@tools/setup build test
