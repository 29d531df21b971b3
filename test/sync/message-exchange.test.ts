import { expect, test } from "vitest";
import { exchange } from "../../src/sync/transmitter/message-exchange.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { UNKNOWN_HOST } from "../support/unknown-host.ts";

/** A reserved name (RFC 6761), and an address to which a socket may not send without asking for it: a route that fails. */
const UNREACHABLE = [UNKNOWN_HOST, "255.255.255.255"];

test.each(
  UNREACHABLE.flatMap((host) => (["udp", "tcp"] as const).map((transport) => [host, transport] as const)),
)("a receiver at %s that cannot be reached over %s is reported with the reason", async (host, transport) => {
  const result = await exchange(Buffer.from("frame"), {
    to: { host, port: 12_128, transport },
    clock: new ManualClock(),
    withinMs: 20_000,
    signal: new AbortController().signal,
    read: () => undefined,
  });
  expect(result).toMatchObject({ reply: undefined, reason: expect.stringContaining(host) });
});

test("a receiver without a name in the DNS is not asked a second time before the backup one", async () => {
  const result = await exchange(Buffer.from("frame"), {
    to: { host: UNKNOWN_HOST, port: 12_128, transport: "udp" },
    clock: new ManualClock(),
    withinMs: 20_000,
    signal: new AbortController().signal,
    read: () => undefined,
  });
  // ENOTFOUND with a name server, EAI_AGAIN without one.
  expect(result).toMatchObject({ isRefused: true });
});
