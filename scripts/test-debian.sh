#!/usr/bin/env bash
# test-debian.sh [COMMAND]: runs the two commands of the README, or COMMAND, on a new Debian with Debian's own Node.js, npm
# and Chromium, as an unprivileged user, in a copy of the files that git tracks or does not ignore. Needs root; exits with 77
# if it cannot run. SUITE is trixie by default. If both commands pass on trixie in the tree of a commit without changes, that commit is
# noted in .cache/passed-on-debian, without which npm run release refuses it.
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
  echo "test-debian: creating a Debian $suite" >&2
  # The requirements of the README, the programs that npm test installs as root, and git and procps.
  mmdebstrap --quiet --variant=minbase \
    --include=ca-certificates,nodejs,npm,g++,make,python3,git,procps,mosquitto,chromium-headless-shell,strace,faketime,gnupg \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    "$suite" "$root.part" "$mirror" >&2
  chroot "$root.part" useradd --create-home stranger
  mv -T "$root.part" "$root"
fi
# This machine's name resolution and trusted authorities.
install -m 644 /etc/resolv.conf /etc/hosts "$root/etc/"
install -m 644 /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"

# What is copied now: a change during the test is not tested.
commit=
[ -n "$(git status --porcelain)" ] || commit=$(git rev-parse HEAD)
rm -rf "$root/home/stranger/santinela"
mkdir "$root/home/stranger/santinela"
git ls-files -z --cached --others --exclude-standard | tar --create --null --files-from=- |
  tar --extract --directory "$root/home/stranger/santinela"
chroot "$root" chown -R stranger: /home/stranger/santinela

# npm start runs until it is stopped: stop it after the first response.
both='npm install && npm test && (
  npm start & daemon=$!
  node -e "
    const ask = (left) => fetch(\"http://127.0.0.1:8080/\").then(({ status }) => process.exit(status === 200 ? 0 : 1),
      () => left > 0 ? setTimeout(ask, 500, left - 1) : process.exit(1));
    ask(120);"
  status=$?; kill $daemon; wait $daemon; exit $status)'
# A separate PID namespace, so that all remaining processes end with it.
unshare --mount --pid --fork --kill-child bash -euc '
  mount -t proc proc "$1/proc"
  mount --rbind /dev "$1/dev"
  mount -t tmpfs tmpfs "$1/run"
  exec chroot "$1" su - stranger -c "cd santinela && export NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt && $2"
' _ "$root" "${1:-$both}"
if [ -n "$commit" ] && [ -z "${1:-}" ] && [ "$suite" = trixie ]; then
  mkdir -p .cache
  echo "$commit" >.cache/passed-on-debian
fi
