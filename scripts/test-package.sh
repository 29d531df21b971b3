#!/usr/bin/env bash
# test-package.sh ARCH FOLDER: builds the package of this tree in FOLDER for the tests on real systems, and prints its path.
# Also updates dist/. An existing package that has the sources of this tree is used; another one is an error. Exits with 77
# and the reason if this machine lacks a compiler or access to the registry.
set -euo pipefail
cd "$(dirname "$0")/.."
arch=$1
folder=$2
cannot() {
  echo "test-package: the package cannot be built here: $1" >&2
  exit 77
}
[[ $arch =~ ^(amd64|arm64)$ ]] || cannot "there is none for $arch, only for amd64 and arm64"
command -v dpkg-deb >/dev/null || cannot "dpkg-deb is missing"
# A copy of the tree may have no git history.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
node scripts/build-record.mjs --is-fresh || npm run --silent build >&2
# What the package has besides the program.
around=$(find systemd scripts/packaging docs ./*.md package.json -type f ! -path 'docs/screenshots/*' -print0 | LC_ALL=C sort -z |
  xargs -0 sha256sum | sha256sum)
for package in "$folder"/santinela_*_"$arch".deb; do
  [ -f "$package" ] || continue
  other() {
    echo "test-package: $package has $1 of other sources than this tree: remove it" >&2
    exit 1
  }
  dpkg-deb --fsys-tarfile "$package" | tar -xO ./usr/lib/santinela/package/dist/built-from.json | cmp --silent - dist/built-from.json ||
    other "a program"
  # A package of a release has no such file.
  [ ! -e "$package.around" ] || [ "$(cat "$package.around")" = "$around" ] || other "scripts, units or pages"
  echo "$package"
  exit 0
done
status=0
# Low compression: the package is read once.
SANTINELA_DEB_COMPRESSION="-Zgzip -z1" scripts/packaging/build-deb.sh "$arch" "$folder" || status=$?
[ "$status" -ne 69 ] || cannot "the reason is above"
[ "$status" -ne 0 ] || for package in "$folder"/santinela_*_"$arch".deb; do echo "$around" >"$package.around"; done
exit "$status"
