#!/usr/bin/env bash
# The tests of the package and the service on a real systemd: Debian 12 and 13 in containers of their own, with systemd as
# PID 1. Ends with 77 and a sentence where they cannot run. SUITES overrides "bookworm trixie"; TEST_PACKAGES names a
# folder whose packages are taken as they are, and where those that it lacks are left.
set -euo pipefail
cd "$(dirname "$0")/.."

skip() {
  echo "test-systemd: skipped: $1" >&2
  exit 77
}
# Debian keeps some of them out of an ordinary user's PATH.
export PATH=$PATH:/usr/sbin:/sbin
[ "$(id -u)" -eq 0 ] || skip "containers are made by root"
for command in systemd-nspawn mmdebstrap dpkg-deb; do
  command -v "$command" >/dev/null || skip "$command is missing: sudo apt-get install systemd-container mmdebstrap dpkg"
done

roots=()
for suite in ${SUITES:-bookworm trixie}; do
  root=$(scripts/test-rootfs.sh "$suite") || skip "a Debian $suite cannot be made here"
  [ "${#roots[@]}" -gt 0 ] || scripts/test-container.sh "$root" --probe || skip "no container, for the reason above"
  roots+=("$suite=$root")
done
if [ -n "${TEST_PACKAGES:-}" ]; then
  packages=$TEST_PACKAGES
else
  packages=$(mktemp -d)
  trap 'rm -rf "$packages"' EXIT
fi
scripts/test-package.sh "$(dpkg --print-architecture)" "$packages" >/dev/null
# The Pi's package is tried in an emulator, where a compiler for it and the emulator are there.
arm64=
if [ "$#" -gt 0 ] && [[ "$*" != *arm64* ]]; then
  : # not asked for
elif command -v aarch64-linux-gnu-g++ >/dev/null && command -v qemu-aarch64-static >/dev/null; then
  mkdir -p "$packages/arm64"
  arm64=$(scripts/test-package.sh arm64 "$packages/arm64")
else
  echo "test-systemd: the package for arm64 is not tried: sudo apt-get install g++-aarch64-linux-gnu qemu-user-static" >&2
fi
TEST_ARM64_PACKAGE="$arm64" TEST_ROOTS="${roots[*]}" TEST_PACKAGES="$packages" node_modules/.bin/vitest run --config test/systemd/vitest.config.ts "$@"
