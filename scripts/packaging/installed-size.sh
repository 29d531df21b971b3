#!/bin/sh
# installed-size.sh FOLDER: prints the Installed-Size of the files in FOLDER in KiB, as dpkg-gencontrol counts them: each file in
# whole KiB, and one for anything else. du is not used: what a directory takes depends on the file system of the build, and on the
# files that it once had.
set -eu
find "$1" -printf '%y %s\n' | awk '{ kib += $1 == "f" ? int(($2 + 1023) / 1024) : 1 } END { print kib }'
