#!/usr/bin/env bash
# test-container.sh ROOT [OPTION...]: boots the root file system of scripts/test-rootfs.sh in a container with systemd as
# PID 1, on an overlay, so that it is not modified. Executes systemd-nspawn with OPTIONs. With --probe instead of options it
# boots a container, tests the sandbox features that the service needs, and exits with 77 and the reason if one is missing.
set -euo pipefail
root=$1
shift

boot() {
  # --register=no and --keep-unit: no systemd is needed outside.
  exec env --ignore-environment PATH="$PATH" \
    UNIFIED_CGROUP_HIERARCHY=1 SYSTEMD_NSPAWN_API_VFS_WRITABLE=yes \
    systemd-nspawn --directory="$root" --machine="santinela-$$" --register=no --keep-unit --boot --volatile=overlay \
    --private-network --console=read-only \
    --capability=CAP_BPF,CAP_PERFMON,CAP_NET_ADMIN --system-call-filter=bpf "$@"
}
if [ "${1:-}" != --probe ]; then boot "$@"; fi

printed=$(mktemp)
boot </dev/null >"$printed" 2>&1 &
nspawn=$!
leader=
finish() {
  [ -z "$leader" ] || kill -KILL "$leader" 2>/dev/null || true
  kill -KILL "$nspawn" 2>/dev/null || true
  wait "$nspawn" 2>/dev/null || true
  rm -f "$printed"
}
trap finish EXIT
cannot() {
  tail -5 "$printed" >&2
  echo "test-container: $1" >&2
  exit 77
}
inside() { nsenter -t "$leader" -a env --ignore-environment PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 "$@"; }

end_s=$((SECONDS + 180))
state=nothing
until [[ $state =~ running|degraded ]]; do
  kill -0 "$nspawn" 2>/dev/null || cannot "systemd-nspawn boots no container here"
  [ "$SECONDS" -lt "$end_s" ] || cannot "systemd does not start in a container here within 180 s"
  sleep 0.5
  leader=$(ps -o pid= --ppid "$nspawn" | tr -d ' ') || continue
  state=$(inside systemctl is-system-running 2>/dev/null) || true
done
# A separate list: an error in the unit must be found by the tests.
inside systemd-run --quiet --wait --property=User=daemon --property=PrivateUsers=yes --property=ProtectSystem=strict \
  --property=PrivateTmp=yes --property=PrivateDevices=yes --property=DevicePolicy=closed \
  --property=ProtectProc=invisible --property=ProtectControlGroups=yes --property=ProtectHostname=yes \
  --property=RestrictNamespaces=yes --property=SystemCallFilter=@system-service --property=MemoryMax=256M \
  /bin/true >>"$printed" 2>&1 || cannot "systemd cannot confine a service in a container here"
