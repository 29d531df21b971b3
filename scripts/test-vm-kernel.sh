#!/usr/bin/env bash
# test-vm-kernel.sh: fetches (once) Debian's kernel of trixie-backports, which has the GPIO simulator, an I2C bus without wires, a
# driver for a converter, one for the watchdog of QEMU and overlays, prepares it for the test machine, and prints a folder with vmlinuz,
# initrd and modules/. Needs root; does not change this machine's apt sources.
set -euo pipefail
cache=${XDG_CACHE_HOME:-$HOME/.cache}/santinela-build
# Another version of this script may prepare other modules.
kernel=$cache/vm-kernel-$(cksum <"$0" | cut -d" " -f1)
if [ -d "$kernel" ]; then
  echo "$kernel"
  exit 0
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/santinela-kernel.XXXXXX")
trap 'rm -rf "$work"' EXIT

echo "test-vm-kernel: fetching the kernel" >&2
mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 2>/dev/null | grep -m1 debian.org/debian) ||
  mirror=http://deb.debian.org/debian
mkdir -p "$work"/apt/lists/partial "$work"/apt/cache/archives/partial "$work"/debs "$work"/tree
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie-backports main" >"$work/apt/sources.list"
cat >"$work/apt/apt.conf" <<END
Dir::State::Lists "$work/apt/lists";
Dir::Cache "$work/apt/cache";
Dir::Etc::SourceList "$work/apt/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::State::status "/dev/null";
APT::Architecture "amd64";
APT::Sandbox::User "root";
END
export APT_CONFIG=$work/apt/apt.conf
apt-get update -qq
image=$(apt-cache depends linux-image-amd64 | awk '/Depends: linux-image/{print $2; exit}')
release=${image#linux-image-}
(cd "$work/debs" && apt-get download -qq "linux-base-$release" "linux-binary-$release" "linux-modules-$release")
unset APT_CONFIG
for package in "$work"/debs/*.deb; do
  dpkg-deb --fsys-tarfile "$package" | tar -x -C "$work/tree" --exclude='*/drivers/gpu/*' --exclude='*/drivers/net/*' \
    --exclude='*/kernel/sound/*' --exclude='./usr/share/*'
done

found=$(dirname "$(find "$work/tree" -name modules.builtin | head -1)")
version=$(basename "$found")
grep -q '^CONFIG_GPIO_SIM=[ym]' "$found/config" && grep -q '^CONFIG_GPIO_SYSFS=y' "$found/config" || {
  echo "test-vm-kernel: the kernel $version has no GPIO simulator or no GPIO in /sys" >&2
  exit 77
}
part=$kernel.part
rm -rf "$part"
modules=$part/modules/usr/lib/modules/$version
mkdir -p "$modules"
cp "$found/vmlinuz" "$part/vmlinuz"
cp "$found"/modules.{builtin,order,builtin.modinfo} "$modules/"
for module in ext4 jbd2 mbcache crc16 crc32c-cryptoapi virtio_blk virtio-rng gpio-sim configfs autofs4 \
  i2c-stub i2c-dev industrialio kfifo_buf industrialio-triggered-buffer ti-ads1015 watchdog i6300esb overlay; do
  (cd "$found" && find kernel -name "$module.ko.xz" -exec cp --parents {} "$modules" \;)
done
find "$modules" -name '*.xz' -exec xz -d {} +
depmod -b "$part/modules/usr" "$version"

# The disk drivers are modules, so an initrd with a shell loads them and mounts the disk before systemd starts. It also loads
# the simulators, because the machine has no modprobe.
first=$work/first
mkdir -p "$first"/{bin,dev,proc,sys,root,modules}
cp "$(command -v busybox)" "$first/bin/busybox"
count=0
for module in virtio_blk crc32c-cryptoapi ext4 gpio-sim i2c-stub i2c-dev ti-ads1015 i6300esb overlay; do
  for file in $(modprobe -d "$part/modules/usr" -S "$version" --show-depends "$module" | awk '$1 == "insmod" {print $2}'); do
    ls "$first/modules" | grep -q -- "-$(basename "$file")$" && continue
    count=$((count + 1))
    cp "$file" "$first/modules/$(printf %02d "$count")-$(basename "$file")"
  done
done
cat >"$first/init" <<'END'
#!/bin/busybox sh
box=/bin/busybox
$box mount -t proc proc /proc
$box mount -t sysfs sysfs /sys
$box mount -t devtmpfs devtmpfs /dev
for module in /modules/*; do
  case $module in
    # A converter at address 0x48, whose registers hold what is written to them.
    *i2c-stub*) $box insmod "$module" chip_addr=0x48 ;;
    *) $box insmod "$module" ;;
  esac
done
tries=0
while [ ! -b /dev/vda ] && [ $tries -lt 500 ]; do
  $box usleep 20000
  tries=$((tries + 1))
done
if $box grep -qw overlayroot=tmpfs /proc/cmdline; then
  # As raspi-config sets it up, with Debian's overlayroot: the card is read-only, and changes are in memory.
  $box mkdir -p /media/root-ro /media/root-rw
  $box mount -t ext4 -o ro /dev/vda /media/root-ro
  $box mount -t tmpfs tmpfs /media/root-rw
  upper=/media/root-rw/overlay
  $box mkdir $upper $upper-workdir
  $box mount -t overlay -o lowerdir=/media/root-ro,upperdir=$upper,workdir=$upper-workdir overlay /root
  $box mkdir -p /root/media/root-ro /root/media/root-rw
  for folder in root-ro root-rw; do $box mount --move /media/$folder /root/media/$folder; done
else
  $box mount -t ext4 -o noatime /dev/vda /root
fi
for folder in proc sys dev; do $box mount --move /$folder /root/$folder; done
exec $box switch_root /root /sbin/init
END
chmod +x "$first/init"
(cd "$first" && find . | cpio -o -H newc --quiet | gzip -1) >"$part/initrd"
mv -T "$part" "$kernel"
echo "$kernel"
