import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Place } from "./network.ts";

/** A server of the pair, and where it listens. */
export interface Member {
  readonly name: string;
  readonly place: Place;
  readonly restPort: number;
  readonly port: number;
}

/** The file of Patroni for one server, as docs/centre.md has it. @param etcd address and port */
export function patroniYaml(
  folder: string,
  { name, place: { host }, restPort, port }: Member,
  etcd: string,
): string {
  const versions = readdirSync("/usr/lib/postgresql").toSorted();
  const programs = join("/usr/lib/postgresql", versions.at(-1) ?? "", "bin");
  return `scope: santinela
name: ${name}
restapi: { listen: "${host}:${restPort}", connect_address: "${host}:${restPort}" }
etcd3: { host: "${etcd}" }
bootstrap:
  dcs:
    ttl: 20
    loop_wait: 5
    retry_timeout: 5
    synchronous_mode: true
    postgresql:
      use_pg_rewind: true
      parameters: { max_connections: 100, shared_buffers: 64MB, wal_log_hints: "on", wal_sender_timeout: 10s, wal_receiver_timeout: 10s }
  initdb: [ { encoding: UTF8 }, { locale: C.UTF-8 }, data-checksums ]
postgresql:
  listen: "${host}:${port}"
  connect_address: "${host}:${port}"
  data_dir: ${join(folder, name)}
  bin_dir: ${programs}
  pgpass: ${join(folder, `${name}.pgpass`)}
  authentication:
    superuser: { username: santinela, password: santinela }
    replication: { username: replication, password: replication }
  parameters: { unix_socket_directories: "${join(folder, "sockets")}" }
  pg_hba: [ "local all all trust", "host all all all trust", "host replication all all trust" ]
`;
}
