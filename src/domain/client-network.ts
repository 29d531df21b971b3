/**
 * What counts as one client in a limit per network address. A machine can choose its IPv6 addresses within its /64 (RFC 6177), so
 * only that half counts. Not for link-local and unique local addresses (RFC 4291, 2.5.6; RFC 4193): all machines of a site share
 * that half, and one must not lock out the others.
 */
export function networkOf(address: string): string {
  const plain = plainAddress(address);
  if (!plain.includes(":") || WITHIN_A_SITE.test(plain)) return plain;
  const [head = "", tail] = plain.split("::");
  const [first, last] = [groupsOf(head), groupsOf(tail ?? "")];
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => "0");
  return `${[...first, ...zeros, ...last].slice(0, 4).join(":")}::/64`;
}

/** fe80::/10 and fc00::/7. */
const WITHIN_A_SITE = /^f(?:e[89ab]|[cd][\da-f])[\da-f]:/i;

function groupsOf(part: string): string[] {
  return part === "" ? [] : part.split(":");
}

/** An IPv4 address without the prefix that it has on a listener for IPv6: the configuration may change. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, "");
}
