import { BlockList, isIPv4, isIPv6 } from "node:net";

/** @returns undefined if any address is allowed */
export function allowedOf(from: readonly string[]): BlockList | undefined {
  if (from.length === 0) return undefined;
  const allowed = new BlockList();
  for (const entry of from) {
    const [address = "", prefix] = entry.split("/");
    const family = isIPv4(address) ? "ipv4" : "ipv6";
    if (prefix === undefined) allowed.addAddress(address, family);
    else allowed.addSubnet(address, Number(prefix), family);
  }
  return allowed;
}

/** A socket for both families shows an IPv4 address as ::ffff:192.0.2.1. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, "");
}

/** Whether a message may come from an address. */
export function isAllowed(allowed: BlockList, address: string): boolean {
  const plain = plainAddress(address);
  if (isIPv4(plain)) return allowed.check(plain, "ipv4");
  return isIPv6(plain) && allowed.check(plain, "ipv6");
}
