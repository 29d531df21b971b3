#!/usr/bin/env bash
# Tests of what a release publishes: the apt repository over HTTP in a Debian 13 with systemd as PID 1, with apt and with
# unattended-upgrades, and the OCI image with podman. Exits with 77 and the reason if they cannot run. TEST_PACKAGES is a folder
# of packages: an existing one is used, a missing one is built there.
set -euo pipefail
cd "$(dirname "$0")/.."

skip() {
  echo "test-release: skipped: $1" >&2
  exit 77
}
export PATH=$PATH:/usr/sbin:/sbin
[ "$(id -u)" -eq 0 ] || skip "containers need root"
for command in systemd-nspawn mmdebstrap dpkg-deb gpg podman runc; do
  command -v "$command" >/dev/null ||
    skip "$command is missing: sudo apt-get install --no-install-recommends systemd-container mmdebstrap dpkg gnupg podman runc"
done
root=$(scripts/test-rootfs.sh trixie unattended-upgrades) || skip "Debian trixie cannot be created here"
scripts/test-container.sh "$root" --probe || skip "no container, for the reason above"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
package=$(scripts/test-package.sh "$(dpkg --print-architecture)" "${TEST_PACKAGES:-$work}")
mkdir -p "$work/shown"
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || echo 0)
export SOURCE_DATE_EPOCH
TEST_PACKAGE="$package" TEST_ROOTS="trixie=$root" TEST_PACKAGES="$work/shown" \
  node_modules/.bin/vitest run --config test/delivery/vitest.config.ts "$@"
