#!/usr/bin/env bash
# compile-addon.sh ARCH SOURCE HEADERS NODE_HOME FOLDER: compiles the add-on in SOURCE for ARCH (amd64 or arm64) against the
# Node.js headers in HEADERS and puts its binaries into FOLDER, after the Node.js in NODE_HOME has loaded each of them.
# Modifies SOURCE. Exits with 1 and the compiler's last lines, or with the name of the binary that cannot be loaded.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
arch=$1 source=$2 headers=$3 node_home=$4 folder=$5
case $arch in
amd64) node_arch=x64 gnu=x86_64-linux-gnu ;;
arm64) node_arch=arm64 gnu=aarch64-linux-gnu ;;
*)
  echo "compile-addon: there is no compiler for $arch, only for amd64 and arm64" >&2
  exit 64
  ;;
esac
node_gyp=${npm_config_node_gyp:-$(npm exec --silent -c 'printf %s "$npm_config_node_gyp"')}

rm -rf "$source/build"
# HAVE_FDATASYNC: without it SQLite calls fsync, which also writes the time of the last change. With it a commit needs one flush
# of a card with ext4 instead of two, and survives a power cut as well: fdatasync writes the size of a file if it has grown.
# The compiler must not see the caller's settings: npm exports a user's npmrc as npm_config_*, and node-gyp prefers these
# to its own arguments (npm_config_nodedir over --nodedir), and CXXFLAGS and the like from the environment.
(cd "$source" && env --ignore-environment PATH="$PATH" HOME="$source" TMPDIR="${TMPDIR:-/tmp}" LC_ALL=C.UTF-8 \
  ${SOURCE_DATE_EPOCH:+SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH"} \
  CC="$gnu-gcc" CXX="$gnu-g++" LINK="$gnu-g++" AR="$gnu-ar" CFLAGS=-DHAVE_FDATASYNC=1 \
  node "$node_gyp" rebuild --release --jobs=max --nodedir="$headers" --arch="$node_arch") >"$source/compile.log" 2>&1 || {
  tail -20 "$source/compile.log" >&2
  exit 1
}

rm -rf "$folder.part"
mkdir -p "$folder.part"
for binary in "$source"/build/Release/*.node; do
  [ "$(basename "$binary")" = test_extension.node ] || install -m 644 "$binary" "$folder.part/"
done
"$gnu-strip" --strip-unneeded "$folder.part"/*.node
"$here/load-addons.sh" "$arch" "$node_home" "$folder.part" || {
  rm -rf "$folder.part"
  exit 1
}
mv -T "$folder.part" "$folder"
