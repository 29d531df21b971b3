#!/usr/bin/env bash
# build-deb.sh [ARCH [FOLDER]]: builds the Debian package of this tree for ARCH (amd64 or arm64, else this machine's)
# into FOLDER (else var/packages) and prints its path. The package contains Node.js and compiled add-ons. The build is
# reproducible. SANTINELA_DEB_VERSION overrides the version of package.json, SANTINELA_DEB_COMPRESSION dpkg-deb's -Zxz, which
# takes a minute. Exits with 69 if a program or the registry is missing.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
arch=${1:-$(dpkg --print-architecture)}
folder=${2:-$root/var/packages}
version=${SANTINELA_DEB_VERSION:-$(node -p "require('$root/package.json').version")}
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct)}

mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
# The maintainer scripts give each release a folder of its own, with hard links to these files.
home=$tree/usr/lib/santinela/package
umask 022

# The lock file determines the modules, so they are fetched once.
cache=${XDG_CACHE_HOME:-$HOME/.cache}/santinela-build
fetched=$cache/modules-$(sha256sum "$root/package-lock.json" | cut -c1-16)
if [ ! -d "$fetched" ]; then
  echo "build-deb: fetching the production modules" >&2
  mkdir -p "$fetched.part"
  cp "$root/package.json" "$root/package-lock.json" "$root/.npmrc" "$fetched.part/"
  (cd "$fetched.part" && npm install --omit=dev --ignore-scripts --no-audit --loglevel=error >&2) || {
    echo "build-deb: the production modules cannot be fetched from the registry" >&2
    exit 69
  }
  mv -T "$fetched.part" "$fetched"
fi
mkdir -p "$home"
cp -r "$fetched/node_modules" "$home/node_modules"
node_home=$("$here/build-native-addons.sh" "$arch" "$home")
rm -f "$home/node_modules/.package-lock.json"

# Remove files that only compiling or reading the sources needs: two thirds of the package.
modules=$home/node_modules
rm -rf "$modules"/better-sqlite3/{deps,src,binding.gyp} "$modules"/epoll/{src,binding.gyp,example,test} \
  "$modules"/{prebuild-install,node-abi,nan,node-addon-api,node-gyp-build-optional-packages,tar-fs,tar-stream,simple-get} \
  "$modules/.bin"
case $arch in
amd64) prebuild=linux-x64 gnu=x86_64-linux-gnu ;;
*) prebuild=linux-$arch gnu=aarch64-linux-gnu ;;
esac
find "$modules/bcrypt/prebuilds" -mindepth 1 -maxdepth 1 ! -name "$prebuild" -exec rm -rf {} +
# Debian's C library is the GNU one.
rm -f "$modules"/bcrypt/prebuilds/*/*.musl.node
find "$modules" -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.markdown' \) -delete
find "$modules" -type d \( -name test -o -name tests -o -name __tests__ -o -name benchmarks -o -name bench \) -prune -exec rm -rf {} +
find "$modules" -depth -type d -empty -delete

install -D -m 755 "$node_home/bin/node" "$home/node/bin/node"
"$gnu-strip" --remove-section=.comment "$home/node/bin/node"
install -D -m 644 "$node_home/LICENSE" "$home/node/LICENSE"
find "$modules" -type f -name '*.node' -exec "$gnu-strip" --strip-unneeded --remove-section=.comment {} +
"$here/load-addons.sh" "$arch" "$home/node" "$modules"
"$here/stage.sh" "$tree" /usr/lib/santinela/package

doc=$tree/usr/share/doc/santinela
cp "$root/LICENSE" "$doc/copyright"
node "$here/parts.mjs" "$home" $(node -p "const { name, version } = require('$node_home/package.json'); [name, version].join(' ')") >"$doc/parts.cdx.json"
# The program is bundled: only the add-ons with what they load remain, and the file of ajv that the generated validators
# load. All licences are in dist/licences.txt.
(cd "$modules" && for module in * .[!.]*; do
  case $module in
  bcrypt | node-gyp-build | better-sqlite3 | bindings | file-uri-to-path | onoff | epoll | lodash.debounce | ajv) ;;
  *) rm -rf "$module" ;;
  esac
done)
rm -rf "$modules"/bcrypt/{src,binding.gyp,examples,build-all.sh,Makefile,Dockerfile,Dockerfile-alpine,.github} \
  "$modules"/node-gyp-build/{bin,build-test,optional}.js
rm -rf "$modules"/onoff/{examples,integration-test}
find "$modules" -type f -name '*.md' ! -name 'LICENSE*' -delete
find "$modules" -type f \( -name '.npmignore' -o -name '.dockerignore' -o -name '.editorconfig' \) -delete
find "$modules" -type f -name '*.node' -exec chmod 644 {} +
find "$modules/ajv" -type f ! -path '*/dist/runtime/*' ! -name package.json -delete
find "$modules" -depth -type d -empty -delete
if [ "$arch" = "$(dpkg --print-architecture)" ]; then
  (cd "$home" && node/bin/node -e 'require("bcrypt"); new (require("better-sqlite3"))(":memory:"); require("onoff")')
  "$home/node/bin/node" "$home/dist/main.js" check-config --config "$tree/usr/share/santinela/santinela.yaml" >/dev/null
fi
date=$(date --utc --date="@$SOURCE_DATE_EPOCH" --rfc-email)
sed -e "s/@VERSION@/$version/" -e "s/@DATE@/$date/" "$here/deb/changelog" | gzip -9n >"$doc/changelog.gz"
install -D -m 644 "$here/deb/lintian-overrides" "$tree/usr/share/lintian/overrides/santinela"
mkdir -p "$tree/DEBIAN"
for script in preinst postinst prerm postrm; do install -m 755 "$here/deb/$script" "$tree/DEBIAN/$script"; done
size=$("$here/installed-size.sh" "$tree/usr")
sed -e "s/@VERSION@/$version/" -e "s/@ARCH@/$arch/" -e "s/@SIZE@/$size/" "$here/deb/control" >"$tree/DEBIAN/control"
# For dpkg --verify. Sums that dpkg makes itself would also be right for what the card has damaged during the installation.
(cd "$tree" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum >DEBIAN/md5sums)
find "$tree" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
chmod -R u=rwX,go=rX "$tree"

# Word splitting is intended: "-Zgzip -z1".
package=$folder/santinela_${version}_$arch.deb
dpkg-deb --root-owner-group ${SANTINELA_DEB_COMPRESSION:--Zxz} --build "$tree" "$package" >&2
echo "$package"
