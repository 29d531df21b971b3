#!/bin/sh
# new-configuration: writes the configuration of a new installation, and leaves one that is there. The site gets a random
# reference: a dispatch centre takes two sites with the same one for one site, and the second would take the account of the first.
set -eu
file=/etc/santinela/santinela.yaml
[ ! -e "$file" ] || exit 0
reference=site-$(od -An -N5 -tx1 /dev/urandom | tr -d ' \n')
# Complete before it has its name: an installation that is cut off begins again.
sed "s/new-site/$reference/" /usr/share/santinela/santinela.yaml >"$file.new"
chgrp santinela "$file.new"
chmod 660 "$file.new"
sync "$file.new"
mv "$file.new" "$file"
