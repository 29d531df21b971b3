import { Socket } from "node:net";
import { expect, test } from "vitest";
import { BrokerConnections } from "../../src/inputs/broker-connections.ts";
import { BrokerLimits } from "../../src/inputs/broker-limits.ts";
import { BrokerMemory } from "../../src/inputs/broker-memory.ts";
import { ManualClock } from "../support/manual-clock.ts";

/** Per address; the built-in broker allows four times as many in all. */
const PER_ADDRESS = 64;

/** @returns how many of the connections the built-in broker ends, and the text of its condition */
function admitted(addressOf: (index: number) => string): { ended: number; texts: string[] } {
  const texts: string[] = [];
  const raise = (_code: string, text: unknown): void => void texts.push(String(text));
  const limits = new BrokerLimits({ conditions: { raise, clear: () => {} }, clock: new ManualClock() });
  const connections = new BrokerConnections(limits, new BrokerMemory(() => expect.fail("memory is used up")));
  const sockets = Array.from({ length: PER_ADDRESS + 6 }, (_none, index) =>
    Object.defineProperty(new Socket(), "remoteAddress", { value: addressOf(index) }),
  );
  const ended = sockets.filter((socket) => !connections.admit(socket)).length;
  void connections.endAll({ after: () => () => {} });
  return { ended, texts };
}

test("a machine with many addresses of one IPv6 network has the connections of one client", () => {
  const { ended, texts } = admitted((index) => `2001:db8:1:2::${index + 1}`);
  expect(ended).toBe(6);
  expect(texts).toEqual([
    expect.stringMatching(/^2001:db8:1:2::\/64 has 64 connections to the built-in broker/),
  ]);
});

test.each([
  ["unique local", "fd12:3456:789a:1::"],
  ["link-local", "fe80::"],
])("the sensors of a site with %s addresses are a client each", (_what, prefix) => {
  expect(admitted((index) => `${prefix}${index + 1}`)).toEqual({ ended: 0, texts: [] });
});

test("an IPv4 address is one client on listeners for either family", () => {
  const { ended, texts } = admitted((index) => (index % 2 === 0 ? "192.0.2.1" : "::ffff:192.0.2.1"));
  expect(ended).toBe(6);
  expect(texts).toEqual([expect.stringMatching(/^192\.0\.2\.1 has 64 connections/)]);
});
