#!/usr/bin/env bash
# test-debian.sh [COMMAND]: the two commands of the README on an empty Debian with Debian's own Node.js, npm and Chromium,
# as a user without rights, from a copy of this tree that carries nothing over but what git knows. COMMAND instead of
# them, where only a part is to be tried. As root; ends with 77 where it cannot run. SUITE is trixie unless said.
set -euo pipefail
cd "$(dirname "$0")/.."
suite=${SUITE:-trixie}
[ "$(id -u)" -eq 0 ] || { echo "test-debian: needs root, for a chroot" >&2; exit 77; }
command -v mmdebstrap >/dev/null || { echo "test-debian: needs mmdebstrap: apt-get install mmdebstrap" >&2; exit 77; }

cache=${XDG_CACHE_HOME:-$HOME/.cache}/santinela-build
root=$cache/stranger-$suite
if [ ! -d "$root" ]; then
  mkdir -p "$cache"
  rm -rf "$root.part"
  mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 2>/dev/null | grep -m1 debian.org/debian) ||
    mirror=http://deb.debian.org/debian
  echo "test-debian: making a Debian $suite" >&2
  # What the README asks for, what npm test would install as root, and git and procps, which people have.
  mmdebstrap --quiet --variant=minbase \
    --include=ca-certificates,nodejs,npm,g++,make,python3,git,procps,mosquitto,chromium,strace,zsh,fish,faketime \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    "$suite" "$root.part" "$mirror" >&2
  chroot "$root.part" useradd --create-home stranger
  mv -T "$root.part" "$root"
fi
# The network as this machine has it: names, and the authorities that it trusts.
install -m 644 /etc/resolv.conf /etc/hosts "$root/etc/"
install -m 644 /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"

rm -rf "$root/home/stranger/santinela"
mkdir "$root/home/stranger/santinela"
git ls-files -z --cached --others --exclude-standard | tar --create --null --files-from=- |
  tar --extract --directory "$root/home/stranger/santinela"
chroot "$root" chown -R stranger: /home/stranger/santinela

# npm start serves until it is ended: it is ended once it has answered.
both='npm install && npm test && (
  npm start & daemon=$!
  node -e "
    const ask = (left) => fetch(\"http://127.0.0.1:8080/\").then(({ status }) => process.exit(status === 200 ? 0 : 1),
      () => left > 0 ? setTimeout(ask, 500, left - 1) : process.exit(1));
    ask(120);"
  status=$?; kill $daemon; wait $daemon; exit $status)'
# A process space of its own: whatever is left over ends with it.
exec unshare --mount --pid --fork --kill-child bash -euc '
  mount -t proc proc "$1/proc"
  mount --rbind /dev "$1/dev"
  mount -t tmpfs tmpfs "$1/run"
  exec chroot "$1" su - stranger -c "cd santinela && export NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt && $2"
' _ "$root" "${1:-$both}"
