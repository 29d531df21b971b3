import { expect, test } from "vitest";
import { ALL_BYTES_MAX, BrokerMemory, type Holder } from "../../src/inputs/broker-memory.ts";

const SHARE = Math.ceil(ALL_BYTES_MAX / 8);

/** Sessions of an eighth of the total limit each, the earlier ones slightly larger, and which of them are ended. */
function endedOf(addresses: readonly string[]): string[] {
  const ended: string[] = [];
  const memory: BrokerMemory = new BrokerMemory(({ holder }: { readonly holder: Holder }) => {
    ended.push(holder.address);
    memory.change(holder, "outgoing", -holder.bytes.outgoing);
  });
  for (const [index, address] of addresses.entries())
    memory.change(memory.client(`client-${index}`, address), "outgoing", SHARE + 100 - index);
  return ended;
}

test.each([
  ["one address", "192.0.2.7", "192.0.2.7", "192.0.2.7"],
  ["ever new addresses of one IPv6 network", "2001:db8::1", "2001:db8::2", "2001:db8:0:0:f::3"],
])("sessions of one machine from %s are ended before larger ones of others", (_what, ...addresses) => {
  const others = ["192.0.2.20", "192.0.2.21", "192.0.2.22", "192.0.2.23", "192.0.2.24"];
  const [first] = addresses;
  expect(endedOf([...others, ...addresses])).toEqual([first]);
});

test("machines of a site with local IPv6 addresses are not one machine", () => {
  const local = ["fe80::1", "fe80::2", "fe80::3", "fe80::4", "fe80::5", "fe80::6", "fe80::7"];
  expect(endedOf(["192.0.2.20", ...local])).toEqual(["192.0.2.20"]);
});
