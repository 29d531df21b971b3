#!/usr/bin/env bash
# Follows the sections of docs/centre.md about two servers, their backups and the return to an earlier moment, with their own commands,
# in three Debian 13 containers, and cuts the power of each. Exits with 77 and the reason if it cannot run. TEST_PACKAGES is a folder of packages: see scripts/test-systemd.sh.
set -euo pipefail
cd "$(dirname "$0")/.."

skip() {
  echo "test-centre-guide: skipped: $1" >&2
  exit 77
}
export PATH=$PATH:/usr/sbin:/sbin
[ "$(id -u)" -eq 0 ] || skip "containers need root"
for command in systemd-nspawn mmdebstrap dpkg-deb dpkg-scanpackages ssh-keygen ip unshare; do
  command -v "$command" >/dev/null ||
    skip "$command is missing: sudo apt-get install systemd-container mmdebstrap dpkg-dev openssh-client iproute2 util-linux"
done

# Made once: a small Debian with sshd, and the packages that the page installs, as an archive for apt. The containers have no
# network but their own.
installed=$(grep -oP 'apt-get install --yes --no-install-recommends \K[a-z0-9 -]+$' docs/centre.md | tr '\n' ' ')
cache=${XDG_CACHE_HOME:-$HOME/.cache}/santinela-build/centre-guide-$(sha256sum scripts/test-centre-guide.sh - <<<"$installed" | sha256sum | cut -c1-16)
if [ ! -d "$cache" ]; then
  rm -rf "$cache.part"
  mkdir -p "$cache.part/archive"
  mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 2>/dev/null | grep -m1 debian.org/debian) ||
    mirror=http://deb.debian.org/debian
  echo "test-centre-guide: making a Debian trixie" >&2
  mmdebstrap --quiet --variant=minbase \
    --include=systemd,systemd-sysv,dbus,udev,procps,iproute2,ca-certificates,openssh-server,openssh-client \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    --customize-hook="APT_CONFIG=\$MMDEBSTRAP_APT_CONFIG apt-get --yes --download-only --no-install-recommends install $installed libstdc++6" \
    --customize-hook="cp \"\$1\"/var/cache/apt/archives/*.deb '$cache.part/archive/'" \
    trixie "$cache.part/root" "$mirror" >&2 || skip "Debian trixie cannot be created here"
  (cd "$cache.part/archive" && dpkg-scanpackages --multiversion . 2>/dev/null >Packages)
  root=$cache.part/root
  rm -f "$root"/etc/apt/sources.list "$root"/etc/apt/sources.list.d/* "$root/etc/resolv.conf"
  rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/*
  echo 'deb [trusted=yes] file:/archive ./' >"$root/etc/apt/sources.list"
  systemctl --root="$root" --quiet enable systemd-networkd.service ssh.service
  # The administrator reaches each machine from each.
  mkdir -p -m 700 "$root/root/.ssh"
  ssh-keygen -q -t ed25519 -N '' -f "$root/root/.ssh/id_ed25519"
  cp "$root/root/.ssh/id_ed25519.pub" "$root/root/.ssh/authorized_keys"
  echo 'StrictHostKeyChecking no' >"$root/root/.ssh/config"
  mv -T "$cache.part" "$cache"
fi
scripts/test-container.sh "$cache/root" --probe || skip "no container, for the reason above"

if [ -n "${TEST_PACKAGES:-}" ]; then
  packages=$TEST_PACKAGES
else
  packages=$(mktemp -d)
  trap 'rm -rf "$packages"' EXIT
fi
scripts/test-package.sh "$(dpkg --print-architecture)" "$packages" >/dev/null
# The network of the machines ends with the test.
TEST_GUIDE_ROOT="$cache/root" TEST_GUIDE_ARCHIVE="$cache/archive" TEST_PACKAGES="$packages" unshare --net --kill-child -- \
  node_modules/.bin/vitest run --config test/guide/vitest.config.ts "$@"
