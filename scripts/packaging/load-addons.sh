#!/usr/bin/env bash
# load-addons.sh ARCH NODE_HOME FOLDER: loads every add-on below FOLDER with the Node.js in NODE_HOME, built for ARCH.
# Exits with 1 and the reason at the first add-on that does not load, or if there is none.
set -euo pipefail
arch=$1 node_home=$2 folder=$3
case $arch in
amd64) machine=x86_64 ;;
arm64) machine=aarch64 ;;
*)
  echo "load-addons: there is no Node.js for $arch, only for amd64 and arm64" >&2
  exit 64
  ;;
esac
run=()
if [ "$(uname -m)" != "$machine" ]; then
  emulator=$(command -v "qemu-$machine-static" || command -v "qemu-$machine") || {
    echo "load-addons: qemu-$machine-static is missing, which runs add-ons for $arch: sudo apt-get install qemu-user-static" >&2
    exit 69
  }
  # The C library of the cross compiler.
  run=("$emulator" -L "/usr/$machine-linux-gnu")
fi

mapfile -t addons < <(find "$folder" -name '*.node' -type f | sort)
[ "${#addons[@]}" -gt 0 ] || {
  echo "load-addons: there is no add-on below $folder" >&2
  exit 1
}
# One process for each, so that add-ons do not affect each other.
for addon in "${addons[@]}"; do
  "${run[@]}" "$node_home/bin/node" -e '
    try {
      process.dlopen({ exports: {} }, process.argv[1]);
    } catch (error) {
      const node = `Node.js ${process.versions.node} (${process.arch}, ABI ${process.versions.modules})`;
      console.error(`load-addons: ${node} cannot load ${process.argv[1]}: ${error.message}`);
      process.exitCode = 1;
    }' "$addon" || exit 1
done
