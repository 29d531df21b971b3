#!/usr/bin/env bash
# Sees to the programs that the tests run beside Node. As root on Debian it installs what is missing and says so;
# elsewhere it lists it. With CI=true anything missing is a failure.
set -euo pipefail

packages=(mosquitto chromium strace zsh fish faketime)
commands=(mosquitto chromium strace zsh fish faketime)

missing=()
for index in "${!commands[@]}"; do
  # Debian keeps daemons in /usr/sbin, which is not on everybody's PATH.
  PATH="$PATH:/usr/sbin" command -v "${commands[$index]}" >/dev/null || missing+=("${packages[$index]}")
done
[ "${#missing[@]}" -eq 0 ] && exit 0

if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
  echo "test-deps: installing ${missing[*]}, which the tests with real parts use" >&2
  apt-get update -qq >&2
  # The tests start their own; the packaged service would only hold the port.
  if [ ! -e /usr/sbin/policy-rc.d ]; then
    printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
    chmod +x /usr/sbin/policy-rc.d
    trap 'rm -f /usr/sbin/policy-rc.d' EXIT
  fi
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
  exit 0
fi

echo "test-deps: not installed here: ${missing[*]}. On Debian: sudo apt-get install ${missing[*]}" >&2
if [ "${CI:-}" = true ]; then exit 1; fi
echo "test-deps: the tests that need them are skipped." >&2
