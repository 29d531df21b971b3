#!/usr/bin/env bash
# install.sh: installs the built source tree as a service on this machine, like the package, but with the machine's
# Node.js. Run as root after npm install && npm run build. Existing configuration and data stay.
set -euo pipefail
# The user of the service reads what this creates.
umask 022
cd "$(dirname "$0")/.."
fail() {
  echo "install: $1" >&2
  exit 1
}
[ "$(id -u)" -eq 0 ] || fail "must run as root: sudo scripts/install.sh"
[ -f dist/main.js ] || fail "the program is not built: npm install && npm run build"
command -v systemctl >/dev/null || fail "this machine has no systemd"
node=$(readlink -f "$(command -v node)") || fail "there is no Node.js on root's PATH"
case $node in
/home/* | /root/*) fail "$node is in a home directory, which the service cannot read; install Node.js system-wide" ;;
esac
# config-files: removed, and not purged, which would delete the data.
state=$(dpkg-query --show --showformat='${db:Status-Status}' santinela 2>/dev/null) || state=not-installed
case $state in
config-files | not-installed) ;;
*) fail "the package santinela is installed; remove it first (apt remove keeps configuration and data)" ;;
esac

# Each installation has a folder of its own, complete on the disk before one atomic link changes to it: a power cut leaves the
# former program or the new one. The units run the program through this link.
home=/usr/lib/santinela
number=1
while [ -e "$home/releases/source.$number" ]; do number=$((number + 1)); done
release=releases/source.$number
rm -rf "$home"/releases/*.part
made=$home/$release.part
# A tree that was built with another umask.
readable() { chmod -R u=rwX,go=rX "$made"; }

# First the program alone: what it rejects must leave the units of the former one, and the files that these name.
install -d "$made/node/bin"
chmod 755 "$home" "$home/releases"
ln -s "$node" "$made/node/bin/node"
cp -r dist node_modules package.json "$made/"
# Remove development packages by npm's own list; npm prune would need the registry, and there may be no network.
"$node" -p 'const { packages } = require("./node_modules/.package-lock.json");
  Object.keys(packages).filter((path) => packages[path].dev).join("\n")' | (cd "$made" && xargs -d "\n" rm -rf)
rm -rf "$made/node_modules/.bin" "$made/node_modules/.package-lock.json"
readable
systemd-sysusers "$PWD/systemd/sysusers.conf"
setpriv --reuid=santinela --regid=santinela --init-groups "$made/node/bin/node" "$made/dist/main.js" version >/dev/null ||
  fail "the program does not run as the user santinela with $("$node" --version)"

# Runs a command of the program as the service $1 would, with the environment of its unit. Credentials exist while it runs.
as_service() {
  local credentials=/run/credentials/$1
  systemctl show --property=Environment --value "$1" | (
    cd /
    if [ -d "$credentials" ]; then export CREDENTIALS_DIRECTORY=$credentials; fi
    # The words of the command are split.
    xargs sh -c 'made=$0 words=$1; shift
      exec setpriv --reuid=santinela --regid=santinela --init-groups env "$@" "$made/node/bin/node" "$made/dist/main.js" $words' \
      "$made" "$2"
  )
}
# Stops at a configuration $2 that the program rejects: its last good text is of the former release, and mostly the same. Without a
# password or a certificate, which may exist only while the service runs, it starts with that text.
accepts() {
  [ -e "$2" ] || return 0
  if as_service "$1" "check-config $3 --config $2" >/dev/null; then return; fi
  # Variables of a file are known to systemd alone.
  if [ -n "$(systemctl show --property=EnvironmentFiles --value "$1")" ]; then
    echo "install: $1 has an EnvironmentFile=, whose variables are missing in this check: the installation goes on" >&2
    return
  fi
  as_service "$1" "config show --config $2" >/dev/null 2>&1 ||
    fail "this release rejects $2, for the reason above; the former program runs on"
  echo "install: the installation goes on without what is missing above" >&2
}
accepts santinela.service /etc/santinela/santinela.yaml ""
accepts santinela-centre.service /etc/santinela/centre.yaml "--centre --offline"

scripts/packaging/stage.sh "" "$made"
readable
# Damaged or missing caches make the start slower and nothing else.
"$made/bin/code-cache" "$made" || true
sync --file-system "$home"
mv -T "$made" "$home/$release"
ln -sfn "$release" "$home/current.new"
mv -T "$home/current.new" "$home/current"
sync --file-system "$home"

systemd-tmpfiles --create /usr/lib/tmpfiles.d/santinela.conf
"$home/current/bin/new-configuration"
if [ -d /run/udev ]; then udevadm control --reload && udevadm trigger --action=add --subsystem-match=gpio || true; fi
systemctl daemon-reload
# The removal of the first packages masked the units.
if [ "$state" = config-files ]; then
  systemctl unmask --quiet santinela.service santinela.socket santinela-backup.timer santinela-upgrade.service santinela-name.service \
    santinela-centre.service
fi
systemctl enable --quiet santinela.service santinela-backup.timer
systemctl restart santinela-backup.timer santinela.service ||
  fail "the service does not start; see journalctl --unit=santinela.service"
# One that runs or waits for its database; try-restart would leave the latter in the former program. Not awaited for the same reason.
case $(systemctl show --property=ActiveState --value santinela-centre.service) in
active | reloading | activating) systemctl --no-block restart santinela-centre.service ;;
esac
# The former one, and one of a script that had no such folders.
for kept in "$home"/releases/*; do
  [ "$kept" = "$home/$release" ] || rm -rf "$kept"
done
rm -rf "$home"/{bin,dist,node,node_modules,systemd,package.json}
echo "Santinela $(santinela version) runs. Next: /usr/share/doc/santinela/docs/installing.md"
