import { plainAddress } from "../domain/client-network.ts";

/** Maximum number of remembered addresses: each connection can be that of another user. */
export function knownAddressesMax(connectionsMax: number): number {
  return Math.max(1_000, connectionsMax);
}

/** Network addresses with a successful sign-in, the latest last. */
export class KnownAddresses {
  readonly #max: number;
  readonly #addresses = new Set<string>();

  /** @param earlier those before this start, the latest first */
  constructor(connectionsMax: number, earlier: readonly string[]) {
    this.#max = knownAddressesMax(connectionsMax);
    for (const address of earlier.toReversed()) this.add(address);
  }

  has(address: string): boolean {
    return this.#addresses.has(plainAddress(address));
  }

  /** The oldest one makes room. */
  add(address: string): void {
    const plain = plainAddress(address);
    this.#addresses.delete(plain);
    this.#addresses.add(plain);
    const [oldest] = this.#addresses;
    if (this.#addresses.size > this.#max && oldest !== undefined) this.#addresses.delete(oldest);
  }
}
