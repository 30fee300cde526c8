# What people type. Meson and ninja do the work; tools/bootstrap installs what is missing.
BUILD ?= build
MESON_OPTIONS ?=

.PHONY: demo build test check-all bench lint format install clean site

demo: build
	@$(BUILD)/heddle run matmul --size tiny
	@$(BUILD)/heddle run bfs --size tiny --chip volta80

# New source files are found by a reconfiguration, done only when the list changed.
build:
	@tools/bootstrap build
	@tools/configure $(BUILD) $(MESON_OPTIONS)
	@ninja -C $(BUILD) $(if $(V),,--quiet)

test:
	@tools/bootstrap test
	@tools/configure $(BUILD) $(MESON_OPTIONS)
	@tools/run-tests $(BUILD)

check-all:
	@tools/bootstrap all
	@tools/check-all

bench:
	@tools/bootstrap build
	@tools/bench

lint:
	@tools/bootstrap lint
	@tools/configure $(BUILD) $(MESON_OPTIONS)
	@tools/lint $(BUILD)

# The manual as a site, in build/site/html.
site: build
	@tools/bootstrap site
	@tools/site $(BUILD)

format:
	@git ls-files '*.c' '*.h' 'workloads/*.cu' | xargs clang-format -i

install:
	@tools/bootstrap build
	@tools/release build-release
	@meson install -C build-release

# A Debian package, and a source archive, into build-packages/; `make smoke` (as root) tries the package in a new Debian.
.PHONY: deb dist smoke
deb:
	@tools/bootstrap deb
	@tools/package deb

dist:
	@tools/package dist

smoke:
	@tools/bootstrap deb
	@tools/package smoke

clean:
	@rm -rf build build-*

# The workloads' PTX from their kernels; it is committed, so only a changed kernel needs this.
.PHONY: ptx
ptx:
	@tools/ptx || [ $$? -eq 77 ]

# Pages of docs/ that the program writes about itself.
.PHONY: docs
docs: build
	@$(BUILD)/heddle list params --markdown >docs/reference/parameters.md
	@$(BUILD)/heddle help --format markdown >docs/reference/commands.md
	@$(BUILD)/heddle study list --markdown >docs/studies.md
	@tools/check-blocks --update
