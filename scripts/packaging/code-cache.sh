#!/bin/sh
# code-cache.sh HOME: makes the code caches of the program in HOME, once with the Node.js options of the service and once
# without them for the commands. The program runs without caches too.
set -e
home=$1
options=$(sed -n 's/^Environment=NODE_OPTIONS=//p' /usr/lib/systemd/system/santinela.service)
for NODE_OPTIONS in "" "$options"; do
  export NODE_OPTIONS
  # An installation waits for this, with the releases locked.
  timeout 60 "$home/node/bin/node" "$home/dist/program/code-cache.js"
done
