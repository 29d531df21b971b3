#!/usr/bin/env bash
# Tests of the package and the service on a real systemd: Debian 12 and 13 in separate containers, with systemd as PID 1.
# Exits with 77 and the reason if they cannot run. SUITES overrides "bookworm trixie". TEST_PACKAGES is a folder of packages:
# existing ones are used, missing ones are built there.
set -euo pipefail
cd "$(dirname "$0")/.."

skip() {
  echo "test-systemd: skipped: $1" >&2
  exit 77
}
# Some of the programs are not on an ordinary user's PATH in Debian.
export PATH=$PATH:/usr/sbin:/sbin
[ "$(id -u)" -eq 0 ] || skip "containers need root"
for command in systemd-nspawn mmdebstrap dpkg-deb; do
  command -v "$command" >/dev/null || skip "$command is missing: sudo apt-get install systemd-container mmdebstrap dpkg"
done

roots=()
for suite in ${SUITES:-bookworm trixie}; do
  root=$(scripts/test-rootfs.sh "$suite") || skip "Debian $suite cannot be created here"
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
# The arm64 package is tested in an emulator if the compiler and the emulator are installed.
arm64=
selected=
for word in "$@"; do
  case $word in
  # How it reports, and where.
  --reporter=* | --outputFile*) ;;
  *) selected+=" $word" ;;
  esac
done
if [ -n "$selected" ] && [[ $selected != *arm64* ]]; then
  : # not selected
elif command -v aarch64-linux-gnu-g++ >/dev/null && command -v qemu-aarch64-static >/dev/null; then
  mkdir -p "$packages/arm64"
  arm64=$(scripts/test-package.sh arm64 "$packages/arm64")
else
  echo "test-systemd: the package for arm64 is not tested: sudo apt-get install g++-aarch64-linux-gnu qemu-user-static" >&2
fi
command -v lintian >/dev/null || echo "test-systemd: the packages are not checked by lintian: sudo apt-get install lintian" >&2
TEST_ARM64_PACKAGE="$arm64" TEST_ROOTS="${roots[*]}" TEST_PACKAGES="$packages" node_modules/.bin/vitest run --config test/systemd/vitest.config.ts "$@"
