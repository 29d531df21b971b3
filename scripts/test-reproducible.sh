#!/usr/bin/env bash
# test-reproducible.sh [ARCH]: builds the Debian package of the last commit twice, in two folders with different paths,
# time zones and languages, without caches except npm's downloads, and compares the two byte for byte. Exits with 1 and the
# names of the files that differ. Takes ten minutes, because the add-ons are compiled twice.
# test-reproducible.sh --release [OPTION...]: the same with npm run release, one key that is removed afterwards, and further OPTIONs
# of it: compares every published file, and verifies signature and checksums as the installation guide describes. If the commit is
# not ready for a release, a trial version of it is built. Takes an hour.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
commit=$(git -C "$root" rev-parse HEAD)
work=$(mktemp -d)
finish() {
  [ ! -d "$work/keys" ] || gpgconf --homedir "$work/keys" --kill gpg-agent || true
  rm -rf "$work"
}
trap finish EXIT

# twice COMMAND...: runs it in two clones of $source, with the name of a folder for its results as the last argument.
twice() {
  build first "$work/here" UTC C 022 "$@"
  build second "$work/another/place/further-down" Europe/Bucharest C.UTF-8 077 "$@"
}
# build NAME FOLDER TIMEZONE LANGUAGE UMASK COMMAND...: the results are in $work/NAME.
build() {
  local name=$1 folder=$2 zone=$3 language=$4 mask=$5
  shift 5
  git clone --quiet "$source" "$folder"
  git -C "$folder" checkout --quiet -B main "$commit"
  (
    cd "$folder"
    umask "$mask"
    export TZ=$zone LC_ALL=$language XDG_CACHE_HOME=$folder.cache
    pass_on_debian
    # Within this list no failure ends the subshell by itself.
    npm ci $without_scripts --no-audit --loglevel=error && "$@" "$work/$name"
  ) >"$work/$name.log" 2>&1 || {
    tail -30 "$work/$name.log" >&2
    exit 1
  }
  # The next one finds neither the folder nor what was compiled in it.
  rm -rf "$folder" "$folder.cache"
}

# Notes what npm run release wants to know about a commit before it is published. Nothing is published here.
pass_on_debian() { mkdir -p .cache && git rev-parse HEAD >.cache/passed-on-debian; }

package() {
  npm run --silent build && scripts/packaging/build-deb.sh "$arch" "$1"
}
compare_packages() {
  mv "$work"/first/*.deb "$work/first.deb"
  mv "$work"/second/*.deb "$work/second.deb"
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
}

# A commit on the branch of releases; without it, one with a version that no release has, and its entries in the changelog.
prepare_release() {
  source=$work/source
  git clone --quiet "$root" "$source"
  git -C "$source" checkout --quiet -B main "$commit"
  (
    cd "$source"
    time=$(git log -1 --format=%ct)
    mkdir -m 700 "$work/keys"
    gpg --batch --quiet --faked-system-time "$((time - 60))" --passphrase '' --quick-generate-key "$key" ed25519 sign 0
    pass_on_debian
    node scripts/release.mjs --dry-run --key "$key" 2>"$work/faults" && exit
    cat "$work/faults" >&2
    echo "test-reproducible: a trial version is built instead" >&2
    npm version 99.0.0 --no-git-tag-version >/dev/null
    sed -i "s/^## Unreleased\$/&\\n\\n## 99.0.0 - $(date -u -d "@$time" +%F)/" CHANGELOG.md
    GIT_COMMITTER_DATE="@$time +0000" git -c user.name=Release -c user.email=$key \
      commit --quiet --all --message='release: trial' --date="@$time +0000"
  )
  commit=$(git -C "$source" rev-parse HEAD)
}
release() {
  local to=${!#}
  npm run --silent release -- --to "$to" --key "$key" "${@:1:$#-1}"
}
# sums NAME: each published file, as `sha256sum` prints it.
sums() { (cd "$work/$1" && find . -path ./upgrade -prune -o -type f -print0 | sort -z | xargs -0 sha256sum); }
compare_releases() {
  for name in first second; do sums "$name" >"$work/$name.sums"; done
  diff "$work/first.sums" "$work/second.sums" || {
    echo "test-reproducible: the two releases differ as above (<: the first, >: the second)" >&2
    exit 1
  }
  # As on a machine that downloads: only the public key.
  export GNUPGHOME=$work/visitor
  mkdir -m 700 "$GNUPGHOME"
  cd "$work/first"
  gpg --batch --quiet --import apt/santinela-archive-keyring.gpg
  gpg --batch --quiet --verify SHA256SUMS.asc SHA256SUMS
  sha256sum --quiet --check SHA256SUMS
  # Each file beside the repository has a checksum, and the repository has the same packages.
  diff <(sed 's/^[^ ]*  //' SHA256SUMS) <(find . -maxdepth 1 -type f ! -name 'SHA256SUMS*' -printf '%f\n' | LC_ALL=C sort)
  for package in *.deb; do cmp "$package" "apt/pool/main/s/santinela/$package"; done
  gpgconf --kill all || true
  cat "$work/first.sums"
  echo "test-reproducible: both releases are the same, $(wc -l <"$work/first.sums") files; signature and checksums are valid"
}

source=$root
without_scripts=--ignore-scripts
if [ "${1:-}" = --release ]; then
  shift
  # The program itself runs, for the data directories of later upgrade tests, and needs its add-ons.
  without_scripts=
  key=trial@example.org
  export GNUPGHOME=$work/keys
  prepare_release
  twice release "$@"
  compare_releases
else
  arch=${1:-$(dpkg --print-architecture)}
  twice package
  compare_packages
fi
