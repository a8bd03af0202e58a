#!/usr/bin/env bash
# Installs what building and testing need on Debian and its relatives, and only
# what is missing. Running it again does nothing.
#
#   scripts/setup.sh build   # libvips with its headers, pkg-config, a C compiler
#   scripts/setup.sh test    # the above, MariaDB, Redis, nginx, Apache, Caddy, PHP, Chromium, Node.js, a font, and the browser tests' packages
#   scripts/setup.sh bench   # the above, and the programs that pictures are compared with
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PATH:/usr/sbin:/sbin # where Debian keeps servers; not on everybody's path

say() { echo "setup: $*"; }

fail() {
	echo "setup: $*" >&2
	exit 1
}

# as_root runs a command as root, through sudo when we are somebody else.
as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	else
		sudo -n "$@"
	fi
}

missing=()

# want PACKAGE TEST...: remembers the package when the test fails.
want() {
	local package=$1
	shift
	"$@" >/dev/null 2>&1 || missing+=("$package")
}

has() { command -v "$1"; }

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

want_bench() {
	want imagemagick has convert-im6.q16
	want graphicsmagick has gm
	want php-gd eval 'php -m | grep -qx gd'
	want time test -x /usr/bin/time
}

need_go() {
	has go >/dev/null || fail "Go is not installed; get it from https://go.dev/dl and run this again"
}

want_build() {
	want pkg-config has pkg-config
	want gcc has gcc
	want libc6-dev test -e /usr/include/stdio.h
	want libvips-dev pkg-config --exists vips
}

want_test() {
	want libvips-tools has vips
	want mariadb-server has mariadbd
	want redis-server has redis-server
	want nginx has nginx
	want apache2-bin has apache2
	want caddy has caddy
	want php-cli has php
	want php-xml eval 'php -m | grep -qx dom'
	want chromium has "${CHROMIUM:-chromium}"
	want fonts-dejavu-core installed fonts-dejavu-core
	if ! has node >/dev/null; then
		missing+=(nodejs npm)
	else
		want npm has npm
	fi
}

policy=/usr/sbin/policy-rc.d
policy_kept=

# A package that brings a service must not start it here: the tests run a
# MariaDB of their own. The policy file that was there before comes back.
forbid_services() {
	local kept=$policy.editor-actions
	if as_root test -e "$kept"; then # an earlier run was killed: that one is the real one
		policy_kept=$kept
	elif as_root test -e "$policy"; then
		as_root mv "$policy" "$kept"
		policy_kept=$kept
	fi
	trap restore_services EXIT
	printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
	as_root chmod 755 "$policy"
}

restore_services() {
	as_root rm -f "$policy"
	if [ -n "$policy_kept" ]; then as_root mv "$policy_kept" "$policy"; fi
	trap - EXIT
}

install_missing() {
	if [ ${#missing[@]} = 0 ]; then
		say "all packages are there"
		return
	fi
	local list="${missing[*]}"
	has apt-get >/dev/null || fail "please install the equivalents of: $list (no apt-get here)"
	if [ "$(id -u)" != 0 ] && ! sudo -n true 2>/dev/null; then
		fail "please run as root: apt-get install --no-install-recommends $list"
	fi
	say "installing $list"
	local log
	log=$(mktemp)
	forbid_services
	as_root apt-get update -q >"$log" 2>&1 || say "apt-get update failed; trying with the lists there are"
	if ! as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends -o DPkg::Lock::Timeout=300 "${missing[@]}" >"$log" 2>&1; then
		cat "$log" >&2
		fail "apt-get could not install $list"
	fi
	restore_services
	rm -f "$log"
	say "installed $list"
}

install_node_packages() {
	local lock=e2e/package-lock.json mark=e2e/node_modules/.package-lock.json
	[ -e "$lock" ] || return 0
	if [ -e "$mark" ] && [ ! "$lock" -nt "$mark" ]; then
		say "the browser tests' packages are there"
		return
	fi
	say "npm ci in e2e/"
	(cd e2e && npm ci --no-audit --no-fund --loglevel=error)
	touch "$mark"
}

case ${1:-} in
build)
	need_go
	want_build
	install_missing
	;;
test)
	need_go
	want_build
	want_test
	install_missing
	install_node_packages
	;;
bench)
	need_go
	want_build
	want_test
	want_bench
	install_missing
	install_node_packages
	;;
*)
	echo "usage: scripts/setup.sh build | test | bench" >&2
	exit 2
	;;
esac
