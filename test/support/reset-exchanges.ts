import { resetConnection, type ConnectionTarget, type ResetExchange } from "./reset-connection.ts";
import { seededRandom } from "./seeded-random.ts";

const AT_ONCE = 24;

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "BREW"];
const UPGRADE = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n";

/** Complete HTTP requests in chunks, between which a client may reset. */
export const HTTP_REQUESTS: readonly (readonly string[])[] = [
  ...METHODS.flatMap((method) => {
    const target = method === "CONNECT" ? "example.org:443" : "/site/status";
    const head = [
      "",
      `${method} ${target.slice(0, 4)}`,
      `${target.slice(4)} HTTP/1.1\r\n`,
      "Host: local",
      "host\r\n",
    ];
    return [
      [...head, "\r\n"],
      [...head, "Expect: 100-continue\r\nContent-Length: 9\r\n", "\r\n", '{"a":', '"b"}'],
      [
        ...head,
        "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
        '5\r\n{"a":',
        "\r\n",
        "0\r\n\r\n",
      ],
      [...head, UPGRADE, "\r\n", "\x81\x85\x00\x00\x00\x00hello"],
    ];
  }),
  // Pipelined, the last one of another type.
  ...["GET / HTTP/1.1", "CONNECT x:443 HTTP/1.1", `GET / HTTP/1.1\r\n${UPGRADE.trim()}`, "no HTTP"].map(
    (last) => [
      "GET / HTTP/1.1\r\nHost: localhost\r\n\r\nGET /site/metrics HTTP/1.1\r\nHost: localhost\r\n\r\n",
      `${last}\r\nHost: localhost\r\n\r\n`,
      "GET / HTTP/1.1\r\n\r\n",
    ],
  ),
  ["CONNECT x:443 HTTP/1.1\r\n\r\n", "x".repeat(100_000)],
  ["\x16\x03\x01\x02\x00\x01", "\x00".repeat(64)],
  [`GET /${"x".repeat(70_000)} HTTP/1.1\r\n`, "\r\n"],
];

/** Each way to reset each of these requests. */
export function exchangesOf(requests: readonly (readonly (string | Uint8Array)[])[]): ResetExchange[] {
  return requests.flatMap((pieces) => [
    { sent: [], breaksOff: "with the last piece" as const },
    ...pieces.map((_piece, index) => ({
      sent: pieces.slice(0, index + 1),
      breaksOff: "with the last piece" as const,
    })),
    { sent: pieces, breaksOff: "in the answer" as const },
    // In one segment, so that the server reads everything before the reset.
    {
      sent: [Buffer.concat(pieces.map((piece) => Buffer.from(piece)))],
      breaksOff: "with the last piece" as const,
    },
  ]);
}

function shuffled<T>(all: readonly T[], seed: number): T[] {
  const random = seededRandom(seed);
  return all
    .map((item) => ({ item, place: random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

/** Resets a connection in each of these ways, in a different order in each round. */
export async function resetAll(
  door: ConnectionTarget,
  exchanges: readonly ResetExchange[],
  rounds: number,
): Promise<void> {
  const left = Array.from({ length: rounds }, (_, round) => shuffled(exchanges, round)).flat();
  const client = async (): Promise<void> => {
    for (let next = left.pop(); next; next = left.pop()) await resetConnection(door, next);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
}
