import { isIP, isIPv4 } from "node:net";
import { X509Certificate } from "node:crypto";

/**
 * Name constraints of a certificate authority (RFC 5280, 4.2.1.10): the names and addresses for which devices accept its
 * certificates. X509Certificate of Node.js does not have them.
 */
export interface PermittedNames {
  /** Each permits itself and the names below it. */
  readonly domains: readonly string[];
  /** Each an address and its mask, of 4 or 16 bytes each. */
  readonly networks: readonly Buffer[];
}

/** Object identifier of the extension. */
export const NAME_CONSTRAINTS = "2.5.29.30";
const NAME_CONSTRAINTS_DER = Buffer.from([0x55, 0x1d, 0x1e]);

/** Names that no public authority certifies (RFC 6762, RFC 8375, and the reservation of ICANN). */
const LOCAL_DOMAINS = ["localhost", "local", "lan", "home.arpa", "internal"];
/** Addresses that are not routed on the internet: private, shared (also of VPNs), loopback and link-local. */
const LOCAL_NETWORKS: readonly (readonly [string, number])[] = [
  ["10.0.0.0", 8],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["::1", 128],
  ["fc00::", 7],
  ["fe80::", 10],
];

const SEQUENCE = 0x30;
const DNS_NAME = 0x82;
const IP_ADDRESS = 0x87;
const PERMITTED_SUBTREES = 0xa0;
const EXTENSIONS = 0xa3;

/** The names for a new authority: local ones, and those that the installation wants besides. */
export function permittedFor(names: readonly string[]): PermittedNames {
  const local = {
    domains: LOCAL_DOMAINS,
    networks: LOCAL_NETWORKS.map(([base, bits]) => network(base, bits)),
  };
  const others = names.filter((name) => !permits(local, name));
  const addresses = others.filter(isAddress);
  return {
    domains: [...local.domains, ...others.filter((name) => !isAddress(name))],
    networks: [
      ...local.networks,
      ...addresses.map((address) => network(address, isIPv4(address) ? 32 : 128)),
    ],
  };
}

/** Whether an authority may certify a name. @param permitted undefined for an authority without constraints */
export function permits(permitted: PermittedNames | undefined, name: string): boolean {
  if (!permitted) return true;
  if (!isAddress(name))
    return permitted.domains.some((domain) => name === domain || name.endsWith(`.${domain}`));
  const address = bytesOf(name);
  return permitted.networks.some(
    (range) =>
      range.length === address.length * 2 &&
      address.every((byte, at) => (byte & (range[address.length + at] ?? 0)) === range[at]),
  );
}

export function isAddress(name: string): boolean {
  return isIP(name) !== 0;
}

/** The value of the extension in DER. */
export function encoded({ domains, networks }: PermittedNames): Buffer {
  const names = [
    ...domains.map((domain) => element(DNS_NAME, Buffer.from(domain, "latin1"))),
    ...networks.map((range) => element(IP_ADDRESS, range)),
  ];
  const subtrees = names.map((name) => element(SEQUENCE, name));
  return element(SEQUENCE, element(PERMITTED_SUBTREES, Buffer.concat(subtrees)));
}

/** The constraints of an authority; undefined for one without. @param pem its certificate */
export function permittedBy(pem: string): PermittedNames | undefined {
  const [certificate] = elementsOf(new X509Certificate(pem).raw);
  const [content] = elementsOf(certificate?.content);
  const explicit = elementsOf(content?.content).find(({ tag }) => tag === EXTENSIONS);
  const [extensions] = elementsOf(explicit?.content);
  const extension = elementsOf(extensions?.content)
    .map(({ content: parts }) => elementsOf(parts))
    .find(([id]) => id?.content.equals(NAME_CONSTRAINTS_DER));
  if (!extension) return undefined;
  const [value] = elementsOf(extension.at(-1)?.content);
  const subtrees = elementsOf(value?.content).find(({ tag }) => tag === PERMITTED_SUBTREES);
  const names = elementsOf(subtrees?.content).flatMap((subtree) => elementsOf(subtree.content).slice(0, 1));
  return {
    domains: names.filter(({ tag }) => tag === DNS_NAME).map(({ content: name }) => name.toString("latin1")),
    networks: names.filter(({ tag }) => tag === IP_ADDRESS).map(({ content: range }) => range),
  };
}

function network(address: string, bits: number): Buffer {
  const base = bytesOf(address);
  const mask = base.map((_, at) => (0xff00 >> Math.min(8, Math.max(0, bits - at * 8))) & 0xff);
  return Buffer.concat([base, mask]);
}

function bytesOf(address: string): Buffer {
  if (!address.includes(":")) return Buffer.from(address.split(".").map(Number));
  // URL writes an IPv4 part in hexadecimal, so that only groups of four digits remain.
  const { hostname } = new URL(`http://[${address}]/`);
  const [before = "", after] = hostname.slice(1, -1).split("::");
  const groups = (text: string): string[] => text.split(":").filter((group) => group !== "");
  const [first, last] = [groups(before), groups(after ?? "")];
  const zeros = Array<string>(8 - first.length - last.length).fill("0");
  const all = [...first, ...zeros, ...last].map((group) => Number.parseInt(group, 16));
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}

interface Element {
  readonly tag: number;
  readonly content: Buffer;
}

/** @throws RangeError for more than 64 KiB: a certificate of hundreds of names */
function element(tag: number, content: Buffer): Buffer {
  const header = Buffer.from([tag, 0x82, 0, 0]);
  header.writeUInt16BE(content.length, 2);
  // DER requires the shortest form of a length.
  if (content.length < 0x80) return Buffer.concat([Buffer.from([tag, content.length]), content]);
  if (content.length < 0x100) return Buffer.concat([Buffer.from([tag, 0x81, content.length]), content]);
  return Buffer.concat([header, content]);
}

/** The elements of DER text that an X509Certificate has accepted. */
function elementsOf(der: Buffer = Buffer.alloc(0)): Element[] {
  const elements: Element[] = [];
  for (let at = 0; at + 1 < der.length;) {
    const first = der.readUInt8(at + 1);
    const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
    const length = lengthBytes === 0 ? first : der.readUIntBE(at + 2, lengthBytes);
    const begin = at + 2 + lengthBytes;
    elements.push({ tag: der.readUInt8(at), content: der.subarray(begin, begin + length) });
    at = begin + length;
  }
  return elements;
}
