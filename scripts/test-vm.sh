#!/usr/bin/env bash
# Tests of the installed package on a real kernel: a virtual machine with Debian 13, the kernel's GPIO simulator and systemd
# as PID 1. Exits with 77 and the reason if it cannot run. --powercut runs the power cuts instead: the machine is killed
# CUTS (10) times during trips. --wires runs only several chips and converters, --watchdog only a hang of the whole machine,
# --raspberry-pi only what distinguishes a Raspberry Pi from a PC.
# TEST_PACKAGES is the folder of packages, see scripts/test-systemd.sh.
set -euo pipefail
cd "$(dirname "$0")/.."

skip() {
  echo "test-vm: skipped: $1" >&2
  exit 77
}
# Some of the programs are not on an ordinary user's PATH in Debian.
export PATH=$PATH:/usr/sbin:/sbin
[ "$(id -u)" -eq 0 ] || skip "the root file system needs root"
[ "$(dpkg --print-architecture)" = amd64 ] || skip "the virtual machine needs an amd64 host"
for command in qemu-system-x86_64 mmdebstrap busybox depmod modprobe cpio xz mkfs.ext4; do
  command -v "$command" >/dev/null ||
    skip "$command is missing: sudo apt-get install qemu-system-x86 mmdebstrap busybox-static kmod cpio xz-utils e2fsprogs"
done
unshare --mount mount -t proc proc /proc 2>/dev/null || skip "file systems cannot be mounted here"
[ "$(df --output=avail -m "${TMPDIR:-/tmp}" | tail -1)" -gt 2000 ] || skip "2 GB are not free in ${TMPDIR:-/tmp}"
[ "$(awk '/^MemAvailable/ {print $2}' /proc/meminfo)" -gt 1000000 ] || skip "1 GB of memory is not free"
case ${1:-} in
--powercut) tests=test/vm/power-cut.test.ts ;;
--wires) tests=test/vm/wires.test.ts ;;
--watchdog) tests=test/vm/watchdog.test.ts ;;
--raspberry-pi) tests=test/vm/raspberry-pi.test.ts ;;
*) tests="test/vm/gpio.test.ts test/vm/wires.test.ts test/vm/raspberry-pi.test.ts test/vm/watchdog.test.ts" ;;
esac
case ${1:-} in
--powercut | --wires | --watchdog | --raspberry-pi) shift ;;
esac

kernel=$(scripts/test-vm-kernel.sh) || skip "the kernel cannot be prepared here"
base=$(scripts/test-rootfs.sh trixie chrony) || skip "Debian trixie cannot be created here"
work=$(mktemp -d "${TMPDIR:-/tmp}/santinela-vm.XXXXXX")
trap 'rm -rf "$work"' EXIT
package=$(scripts/test-package.sh amd64 "${TEST_PACKAGES:-$work}")

root=$work/root
cp -a "$base" "$root"
cp -a "$kernel/modules/usr/lib/modules" "$root/usr/lib/"
cp "$package" "$root/santinela.deb"
# A separate namespace, so that /proc is unmounted in any case.
unshare --mount sh -c 'mount -t proc proc "$1/proc" && chroot "$1" dpkg -i /santinela.deb >/dev/null' sh "$root"
rm "$root/santinela.deb"
: >"$root/etc/fstab"
# A shell on the second serial line, for the tests.
cat >"$root/etc/systemd/system/test-shell.service" <<'END'
[Unit]
Description=Shell for the tests
After=multi-user.target
[Service]
ExecStart=/bin/sh
StandardInput=tty-force
StandardOutput=tty
StandardError=tty
TTYPath=/dev/ttyS1
ExecStartPre=/bin/stty -F /dev/ttyS1 raw -echo
Restart=always
Environment=PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8
[Install]
WantedBy=multi-user.target
END
ln -s ../test-shell.service "$root/etc/systemd/system/multi-user.target.wants/test-shell.service"
# Disable unused units for a faster boot.
for unit in systemd-hwdb-update.service dev-hugepages.mount dev-mqueue.mount sys-fs-fuse-connections.mount \
  sys-kernel-debug.mount sys-kernel-tracing.mount modprobe@fuse.service modprobe@drm.service \
  modprobe@efi_pstore.service systemd-machine-id-commit.service systemd-firstboot.service e2scrub_all.timer \
  apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer fstrim.timer systemd-timesyncd.service \
  getty@tty1.service serial-getty@ttyS0.service proc-sys-fs-binfmt_misc.automount; do
  ln -sf /dev/null "$root/etc/systemd/system/$unit"
done
# The tests of a Raspberry Pi enable it.
rm -f "$root/etc/systemd/system/multi-user.target.wants/chrony.service"
echo santinela-test >"$root/etc/hostname"
truncate -s 1G "$work/disk.img"
mkfs.ext4 -q -F -d "$root" "$work/disk.img"
rm -rf "$root"

TEST_VM_DISK="$work/disk.img" TEST_VM_KERNEL="$kernel" \
  node_modules/.bin/vitest run --config test/vm/vitest.config.ts $tests "$@"
