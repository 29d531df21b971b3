#!/usr/bin/env bash
# stage.sh FOLDER HOME: puts the built program, units, udev rules, examples and docs into FOLDER, each file at its path on a
# machine, the program at HOME, which has none yet. The caller adds Node.js and the add-ons. An empty FOLDER installs on this machine.
set -euo pipefail
destination=$1 home=$2
cd "$(dirname "$0")/../.."

[ -f dist/main.js ] || {
  echo "stage: the program is not built: run npm run build" >&2
  exit 66
}
# On this machine a power cut must leave the former file or the new one: systemd takes an empty unit for a masked one.
put() {
  if [ -n "$destination" ]; then
    install -D -m "$1" "$2" "$destination$3"
    return
  fi
  install -D -m "$1" "$2" "$3.part"
  sync "$3.part"
  mv -T "$3.part" "$3"
}

mkdir -p "$destination$home"
# It may be there already (scripts/install.sh).
cp -rT dist "$destination$home/dist"
# They fit one Node.js with its options and processor: each installation makes its own (code-cache.sh).
rm -f "$destination$home"/dist/program/*.cache
put 755 scripts/packaging/code-cache.sh $home/bin/code-cache
put 755 scripts/packaging/new-configuration.sh $home/bin/new-configuration
put 644 package.json $home/package.json
put 755 systemd/with-notify-socket $home/bin/with-notify-socket
for program in announce-set-up announce-name; do put 755 "systemd/$program" "$home/bin/$program"; done
put 755 systemd/santinela /usr/bin/santinela
put 755 systemd/santinela-upgrade /usr/sbin/santinela-upgrade
for unit in santinela.service santinela.socket santinela-safe-mode.service santinela-backup.service santinela-backup.timer \
  santinela-upgrade.service santinela-probation.service santinela-restart.service santinela-first-boot.service santinela-name.service \
  santinela-centre.service santinela-centre-backup.service santinela-centre-backup.timer; do
  put 644 "systemd/$unit" "/usr/lib/systemd/system/$unit"
done
# A return to a release also returns to its units.
for unit in santinela.service santinela-safe-mode.service santinela-centre.service; do
  put 644 "systemd/$unit" "$home/systemd/$unit"
done
put 644 systemd/sysusers.conf /usr/lib/sysusers.d/santinela.conf
put 644 systemd/tmpfiles.conf /usr/lib/tmpfiles.d/santinela.conf
put 644 systemd/60-santinela-gpio.rules /usr/lib/udev/rules.d/60-santinela-gpio.rules
put 644 systemd/santinela.yaml /usr/share/santinela/santinela.yaml
for example in avahi.service credentials.conf user-data; do
  put 644 "systemd/$example" "/usr/share/doc/santinela/examples/$example"
done
put 644 systemd/mosquitto/santinela.conf /usr/share/doc/santinela/examples/mosquitto.conf
# Same layout as in the source tree, so that links work; without screenshots, to save space on the SD card.
for page in *.md docs/*.md docs/decisions/*.md docs/grafana.json docs/grafana-fleet.json docs/alerts-fleet.yaml; do
  put 644 "$page" "/usr/share/doc/santinela/$page"
done
node scripts/packaging/manual.mjs "$destination/usr"
mkdir -p "$destination/usr/share/man/man8"
gzip -9n <systemd/santinela-upgrade.8 >"$destination/usr/share/man/man8/santinela-upgrade.8.gz"
