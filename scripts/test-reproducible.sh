#!/usr/bin/env bash
# test-reproducible.sh [ARCH]: builds the Debian package of the last commit twice, in two folders with different paths,
# time zones and languages, without caches except npm's downloads, and compares the two byte for byte. Exits with 1 and the
# names of the files that differ. Takes ten minutes, because the add-ons are compiled twice.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
arch=${1:-$(dpkg --print-architecture)}
commit=$(git -C "$root" rev-parse HEAD)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# build NAME FOLDER TIMEZONE LANGUAGE UMASK: puts the package into $work/NAME.deb.
build() {
  local name=$1 folder=$2 built
  git clone --quiet "$root" "$folder"
  git -C "$folder" checkout --quiet --detach "$commit"
  (
    cd "$folder"
    umask "$5"
    export TZ=$3 LC_ALL=$4 XDG_CACHE_HOME=$folder.cache
    npm ci --ignore-scripts --no-audit --loglevel=error
    npm run --silent build
    scripts/packaging/build-deb.sh "$arch" "$work/$name"
  ) >"$work/$name.log" 2>&1 || {
    tail -30 "$work/$name.log" >&2
    exit 1
  }
  mv "$work/$name"/*.deb "$work/$name.deb"
  # The next one finds neither the folder nor what was compiled in it.
  rm -rf "$folder" "$folder.cache"
}
build first "$work/here" UTC C 022
build second "$work/another/place/further-down" Europe/Bucharest C.UTF-8 077

sha256sum "$work/first.deb" "$work/second.deb"
cmp --silent "$work/first.deb" "$work/second.deb" && {
  echo "test-reproducible: both are the same"
  exit 0
}
for name in first second; do
  dpkg-deb --raw-extract "$work/$name.deb" "$work/$name.tree"
  (cd "$work/$name.tree" && find . -type f -exec sha256sum {} + | sort -k 2) >"$work/$name.sums"
  dpkg-deb --contents "$work/$name.deb" >"$work/$name.contents"
done
diff "$work/first.sums" "$work/second.sums" || true
diff "$work/first.contents" "$work/second.contents" || true
echo "test-reproducible: the two differ as above (<: the first, >: the second)" >&2
exit 1
