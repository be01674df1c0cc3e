# Targets of this checkout. On Debian, with root, Node and npm, a target installs everything else that it needs.
SHELL := /bin/bash
export DEBIAN_FRONTEND := noninteractive
HOST_COMMANDS := mmdebstrap unshare nsenter setpriv taskset flock mke2fs
# For tests that skip where one of these is missing.
CLUSTER_COMMANDS := etcd openssl shellcheck ovsdb-server go ethtool faketime pidwait
PACKAGE_COMMANDS := rpmbuild rpmlint dnf createrepo_c man firewall-cmd nft
.DEFAULT_GOAL := help
.PHONY: help build rpm test check demo demo-overlay demo-cluster bench faults clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# npm ci refuses a lock file without the optional packages of other platforms, which npm leaves out where its registry has none of them;
# npm install takes the same pinned versions from it.
node_modules/.package-lock.json: package.json package-lock.json
	@npm ci --loglevel=silent || npm install --no-save
	@touch $@

build: node_modules/.package-lock.json ## dist/microshift-net, the one file that ships
	npm run --silent build

rpm: node_modules/.package-lock.json ## rpm/out/microshift-net-VERSION.noarch.rpm, checked with rpmlint (MICROSHIFT_VERSION=X: microshift-networking-X, too)
	@test/node/host-packages.sh rpmbuild rpmlint >&2
	@npm --silent run build
	@rm -rf rpm/out
	@MICROSHIFT_VERSION=$(MICROSHIFT_VERSION) rpm/build.sh
	@rpmlint -c rpm/rpmlint.toml rpm/out/*.rpm rpm/microshift-net.spec

test: node_modules/.package-lock.json ## every test, those in booted nodes included
	@test/node/host-packages.sh $(HOST_COMMANDS) >&2
	@test/node/host-packages.sh $(CLUSTER_COMMANDS) $(PACKAGE_COMMANDS) >&2 || echo "going on without: the tests that need it skip" >&2
	@npm --silent test

check: node_modules/.package-lock.json ## format, lint, types, unused code, import rules, shell
	npm run --silent check
	test/node/host-packages.sh shellcheck >&2
	git ls-files -z '*.sh' .ci/run | xargs -0 shellcheck --external-sources --source-path=SCRIPTDIR

demo: node_modules/.package-lock.json ## a node moves its NIC under br-ex (KEEP=1: a shell in it afterwards; RECORD=FILE: an asciicast of it)
	@test/node/host-packages.sh $(HOST_COMMANDS) rpmbuild >&2
	@npm --silent run build && npm --silent run demo

demo-overlay: node_modules/.package-lock.json ## two nodes become one network on OVN, with a gateway (KEEP=1: a shell in the first one afterwards)
	@test/node/host-packages.sh $(HOST_COMMANDS) rpmbuild >&2
	@npm --silent run build && npm --silent run demo-overlay

demo-cluster: node_modules/.package-lock.json ## a real Kubernetes on two nodes, with this agent as its network: a service, a policy, a power cut
	@test/node/host-packages.sh $(HOST_COMMANDS) $(CLUSTER_COMMANDS) nft >&2
	@test/node/build-base.sh > /dev/null
	@npm --silent run build && npx tsc && node build/test/cluster/prepare.js && npm --silent run demo-cluster

bench: node_modules/.package-lock.json ## time, outage and memory in the node (ARGS='-n 5 --scenario static4')
	@test/node/host-packages.sh $(HOST_COMMANDS) >&2
	@npm --silent run build && npm --silent run bench -- $(ARGS)

faults: node_modules/.package-lock.json ## every fault at every step, some hours; writes docs/lab/faults.md (ARGS='--shape dhcp --fault kill')
	@test/node/host-packages.sh $(HOST_COMMANDS) >&2
	@npm --silent run build && npm --silent run faults -- $(ARGS)

clean: ## remove what was built here (the test node's base stays in its cache)
	rm -rf build dist .tap rpm/out
