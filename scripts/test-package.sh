#!/usr/bin/env bash
# test-package.sh ARCH FOLDER: sees to the package of this tree in FOLDER, which the tests on real systems install, and
# prints its path. dist/ is then what the sources make. A package that is there already is taken as it is. Ends with 77
# and a sentence where this machine lacks what the package is made from: a compiler, or the way to the registry.
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
# A copy of the tree may come without its history.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
node scripts/build-record.mjs --is-fresh || npm run --silent build >&2
for package in "$folder"/santinela_*_"$arch".deb; do
  [ ! -f "$package" ] || {
    echo "$package"
    exit 0
  }
done
status=0
# Compressed as little as possible: it is read once.
SANTINELA_DEB_COMPRESSION="-Zgzip -z1" scripts/packaging/build-deb.sh "$arch" "$folder" || status=$?
[ "$status" -ne 69 ] || cannot "the reason is above"
exit "$status"
