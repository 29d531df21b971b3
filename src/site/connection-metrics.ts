import type { NetworkUse } from "../http/server.ts";

const METRICS: readonly (readonly [
  name: string,
  type: "gauge" | "counter",
  help: string,
  read: (use: NetworkUse) => number,
])[] = [
  ["santinela_http_connections", "gauge", "Open connections of the network server.", ({ open }) => open],
  [
    "santinela_http_connections_refused_total",
    "counter",
    "New connections that were refused at http.connectionsMax or http.connectionsPerAddressMax.",
    ({ refused }) => refused,
  ],
  [
    "santinela_http_connections_replaced_total",
    "counter",
    "Connections without a sign-in, or waiting for a report, that were closed for a new one.",
    ({ replaced }) => replaced,
  ],
  [
    "santinela_http_connections_ended_total",
    "counter",
    "Connections with the most unsent bytes that were ended because clients read too slowly.",
    ({ ended }) => ended,
  ],
  [
    "santinela_http_tls_handshakes_failed_total",
    "counter",
    "TLS handshakes of clients that failed or were not finished in time.",
    ({ failedHandshakes }) => failedHandshakes,
  ],
];

/**
 * The connections of the network server in the Prometheus text format.
 * @param use undefined while the server starts: then there is no sample
 */
export function connectionMetrics(use: NetworkUse | undefined): string {
  return METRICS.map(([name, type, help, read]) => {
    const sample = use ? `${name} ${read(use)}\n` : "";
    return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${sample}`;
  }).join("");
}
