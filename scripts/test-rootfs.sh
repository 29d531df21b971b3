#!/usr/bin/env bash
# test-rootfs.sh SUITE [PACKAGE,...]: creates (once) the root file system of a small Debian with systemd and PACKAGEs, which the
# tests boot in a container, and prints its folder. Needs root; uses this machine's Debian mirror.
set -euo pipefail
suite=$1
added=${2:-}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/santinela-build
# A comma in its name would end an option of mount.
root=$cache/rootfs-$suite${added:+-${added//,/-}}
if [ ! -d "$root" ]; then
  mkdir -p "$cache"
  rm -rf "$root.part"
  mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 2>/dev/null | grep -m1 debian.org/debian) ||
    mirror=http://deb.debian.org/debian
  echo "test-rootfs: making a Debian $suite" >&2
  mmdebstrap --quiet --variant=minbase --include=systemd,systemd-sysv,dbus,udev,procps,libstdc++6,mosquitto${added:+,$added} \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    "$suite" "$root.part" "$mirror" >&2
  # Mosquitto is there for its configuration to be tried, not to run from the start.
  rm -f "$root.part/etc/systemd/system/multi-user.target.wants/mosquitto.service" "$root.part/etc/resolv.conf"
  rm -rf "$root.part"/var/cache/apt/* "$root.part"/var/lib/apt/lists/*
  mv -T "$root.part" "$root"
fi
echo "$root"
