#!/usr/bin/env bash
# test-postgres.sh [FILE...]: runs the tests of a dispatch centre, or test FILEs, on the PostgreSQL of another Debian: SUITE, trixie by
# default, with PostgreSQL 17. Its programs run on this machine with libraries of their own, and without a container. Needs root for the
# root file system that they are from; exits with 77 if it cannot run.
set -euo pipefail
cd "$(dirname "$0")/.."
suite=${SUITE:-trixie}

skip() {
  echo "test-postgres: skipped: $1" >&2
  exit 77
}
[ "$(id -u)" -eq 0 ] || skip "a root file system needs root"
command -v mmdebstrap >/dev/null || skip "mmdebstrap is missing: sudo apt-get install mmdebstrap"
root=$(scripts/test-rootfs.sh "$suite" postgresql) || skip "Debian $suite cannot be created here"

# A copy that the user without rights can read, as whom the server runs. PostgreSQL finds its other files beside its programs.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
version=$(ls "$root/usr/lib/postgresql" | sort --version-sort | tail -1)
bin=$folder/usr/lib/postgresql/$version/bin
mkdir -p "$folder/libraries" "$folder/usr/lib/postgresql" "$folder/usr/share/postgresql"
cp -a "$root/usr/lib/postgresql/$version" "$folder/usr/lib/postgresql/"
cp -a "$root/usr/share/postgresql/$version" "$folder/usr/share/postgresql/"
directories=$(printf '%s:' "$root"/usr/lib/*-linux-gnu)
loader=$(find "$root"/usr/lib64 "$root"/usr/lib -maxdepth 1 -name "ld-linux-*.so.*" 2>/dev/null | head -1 || true)
cp -L "$loader" "$folder/libraries/loader"
for file in "$bin"/* "$folder/usr/lib/postgresql/$version/lib"/*.so; do
  # What is not a program or library of its own has none.
  "$loader" --library-path "$directories" --list "$file" 2>/dev/null || true
done | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u | while read -r library; do
  cp -L "$library" "$folder/libraries/"
done
for program in "$bin"/*; do
  [ "$(head -c 4 "$program" | tail -c 3)" = ELF ] || continue
  mv "$program" "$program.elf"
  cat >"$program" <<END
#!/bin/sh
exec '$folder/libraries/loader' --argv0 "\$0" --library-path '$folder/libraries' "\$0.elf" "\$@"
END
  chmod 755 "$program"
done
export TEST_POSTGRES_BIN=$bin
echo "test-postgres: $("$bin/postgres" --version)" >&2

run() { node_modules/.bin/vitest run "$@"; }
if [ $# -gt 0 ]; then
  run --project main --project postgres --project long --project postgres-long "$@"
  exit
fi
failed=0
run --project postgres --project postgres-long || failed=1
run --project main test/postgres test/service test/cli/check-centre.test.ts test/e2e/centre-headline.test.ts || failed=1
run --project long test/postgres test/service test/e2e/centre-on-postgres test/e2e/centre-races test/e2e/moved-centre || failed=1
exit $failed
