import { existsSync } from "node:fs";

const NEEDED = ["/usr/bin/patroni", "/usr/bin/etcd", "/usr/sbin/haproxy", "/usr/lib/postgresql"];

/**
 * Ends this process with 77, which means skipped, if the programs of two servers with a failover are missing.
 * @param {string} command named in the message
 */
export function skipWithoutPatroni(command) {
  const missing = NEEDED.filter((path) => !existsSync(path));
  if (missing.length === 0) return;
  process.stderr.write(
    `${command}: skipped: ${missing.join(", ")} missing.\n  sudo apt-get install --no-install-recommends patroni etcd-server haproxy postgresql\n`,
  );
  process.exit(77);
}
