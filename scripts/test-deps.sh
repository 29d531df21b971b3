#!/usr/bin/env bash
# test-deps.sh [machines]: checks the programs that the tests need besides Node.js, or those for the containers and virtual
# machines of npm run test:systemd and test:vm. As root on Debian it installs the missing ones; elsewhere it lists them.
# With CI=true a missing program of the tests is an error; the suites of the machines report themselves what they lack.
set -euo pipefail

# The tests take any Chromium. The package of its headless program is preferred: a page takes a fifth of the processor time.
can_install_headless() { [ "$(id -u)" -eq 0 ] && apt-cache show chromium-headless-shell >/dev/null 2>&1; }
browser=chromium-headless-shell
if command -v chromium chromium-browser google-chrome >/dev/null && ! can_install_headless; then browser=; fi

# Each package with one of its programs.
case ${1:-tests} in
tests)
  needed=(mosquitto:mosquitto ${browser:+"$browser:$browser"} strace:strace faketime:faketime postgresql:pg_lsclusters
    gnupg:gpg g++:g++ make:make python3:python3 sqlite3:sqlite3)
  used="the tests with real parts use"
  ;;
machines)
  needed=(systemd-container:systemd-nspawn mmdebstrap:mmdebstrap qemu-system-x86:qemu-system-x86_64
    busybox-static:busybox kmod:modprobe cpio:cpio xz-utils:xz e2fsprogs:mkfs.ext4 procps:ps
    iproute2:ip gcc:cc ansible-core:ansible-playbook gnupg:gpg lintian:lintian podman:podman runc:runc
    g++-aarch64-linux-gnu:aarch64-linux-gnu-g++ qemu-user-static:qemu-aarch64-static)
  used="the containers and virtual machines of the tests use"
  ;;
*)
  echo "test-deps: the list $1 is unknown: use tests or machines" >&2
  exit 64
  ;;
esac

missing=()
for one in "${needed[@]}"; do
  # Debian installs daemons in /usr/sbin, which is not on every PATH.
  PATH="$PATH:/usr/sbin:/sbin" command -v "${one#*:}" >/dev/null || missing+=("${one%:*}")
done
[ "${#missing[@]}" -eq 0 ] && exit 0

if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
  echo "test-deps: installing ${missing[*]}, which $used" >&2
  apt-get update -qq >&2
  can_install_headless || missing=("${missing[@]/#chromium-headless-shell/chromium}")
  # The tests start their own brokers; the packaged service would occupy the port.
  if [ ! -e /usr/sbin/policy-rc.d ]; then
    printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
    chmod +x /usr/sbin/policy-rc.d
    trap 'rm -f /usr/sbin/policy-rc.d' EXIT
  fi
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
  exit 0
fi

echo "test-deps: not installed here: ${missing[*]}. On Debian: sudo apt-get install ${missing[*]}" >&2
if [ "${1:-tests}" = tests ] && [ "${CI:-}" = true ]; then exit 1; fi
echo "test-deps: the tests that need them are skipped." >&2
