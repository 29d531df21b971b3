#!/usr/bin/env bash
# uninstall.sh: removes the files that install.sh has installed. Configuration (/etc/santinela), data (/var/lib/santinela,
# /var/lib/santinela-centre) and the user stay.
set -euo pipefail
[ "$(id -u)" -eq 0 ] || {
  echo "uninstall: must run as root" >&2
  exit 1
}
# The package has the same files, which apt removes.
state=$(dpkg-query --show --showformat='${db:Status-Status}' santinela 2>/dev/null) || state=not-installed
case $state in
config-files | not-installed) ;;
*)
  echo "uninstall: the package santinela is installed: use apt remove santinela" >&2
  exit 1
  ;;
esac
systemctl disable --now --quiet santinela-backup.timer santinela.socket santinela.service santinela-safe-mode.service \
  santinela-first-boot.service santinela-name.service santinela-centre-backup.timer santinela-centre.service || true
rm -rf /usr/lib/santinela /usr/share/santinela /usr/share/doc/santinela
rm -f /usr/bin/santinela /usr/sbin/santinela-upgrade /usr/lib/systemd/system/santinela.service \
  /usr/lib/systemd/system/santinela.socket /usr/lib/systemd/system/santinela-safe-mode.service \
  /usr/lib/systemd/system/santinela-backup.service \
  /usr/lib/systemd/system/santinela-backup.timer /usr/lib/systemd/system/santinela-upgrade.service \
  /usr/lib/systemd/system/santinela-probation.service /usr/lib/systemd/system/santinela-restart.service \
  /usr/lib/systemd/system/santinela-first-boot.service /usr/lib/systemd/system/santinela-name.service \
  /usr/lib/systemd/system/santinela-centre.service /usr/lib/systemd/system/santinela-centre-backup.service \
  /usr/lib/systemd/system/santinela-centre-backup.timer \
  /etc/issue.d/santinela.issue \
  /usr/lib/sysusers.d/santinela.conf /usr/lib/tmpfiles.d/santinela.conf /usr/lib/udev/rules.d/60-santinela-gpio.rules \
  /usr/share/man/man1/santinela.1.gz \
  /usr/share/man/man8/santinela-upgrade.8.gz /usr/share/bash-completion/completions/santinela
systemctl daemon-reload
# The partition may be read-only.
rm -f /boot/firmware/santinela-code.txt || echo "remove the set-up code by hand: /boot/firmware/santinela-code.txt" >&2
echo "Removed. Configuration and data are still in /etc/santinela and /var/lib/santinela."
