import { isOneOf } from "../plain-value.ts";
import { canonical } from "../zone-changes.ts";
import type { Proposal } from "./device.ts";

type Input = Proposal["input"];

/** The inputs that are proposed already, so that a zone that two sources know is proposed once. */
export class ProposedInputs {
  readonly #keys = new Set<string>();
  /** Those of devices in their own words that have no conditions, by topic and path. */
  readonly #atPlace = new Map<string, Input[]>();

  /** Adds what a device says in its own words. @returns whether it is new */
  add({ input }: Proposal): boolean {
    // Of an event each value may be a zone of its own: an action, or a transmitter's code.
    const isNew = this.#note(input, isEvent(input) ? input.open : null);
    if (isNew && placeOf(input).where.length === 0) this.#placed(input).push(input);
    return isNew;
  }

  /**
   * Adds what is announced for Home Assistant, where each state may be a zone of its own too.
   * @returns whether it is new, and no device has said in its own words that it sends one of its values there
   */
  addAnnounced({ input }: Proposal): boolean {
    const isKnown = this.#placed(input).some(
      (one) => !isEvent(one) || !isEvent(input) || one.open.some((value) => isOneOf(input.open, value)),
    );
    return !isKnown && this.#note(input, input.open);
  }

  #placed(input: Input): Input[] {
    const { mqtt, path } = placeOf(input);
    const place = canonical([mqtt, path ?? null]);
    const placed = this.#atPlace.get(place) ?? [];
    this.#atPlace.set(place, placed);
    return placed;
  }

  #note(input: Input, values: Input["open"] | null): boolean {
    const key = canonical([placeOf(input), input.bits ?? null, values]);
    if (this.#keys.has(key)) return false;
    this.#keys.add(key);
    return true;
  }
}

/** Where a value is. A Shelly may have the state of a component on its common topic and on one of its own. */
export function placeOf({ mqtt, path, where = [] }: Pick<Input, "mqtt" | "path" | "where">): {
  readonly mqtt: string;
  readonly path: string | undefined;
  readonly where: NonNullable<Input["where"]>;
} {
  const address = COMMON_TOPIC.exec(mqtt)?.[1];
  const [, component, field] = COMPONENT_FIELD.exec(path ?? "") ?? [];
  if (address === undefined || component === undefined || field === undefined) return { mqtt, path, where };
  return { mqtt: `${address}/status/${component}`, path: field, where: [] };
}

const COMMON_TOPIC = /^(.+)\/events\/rpc$/;
const COMPONENT_FIELD = /^\/params\/([a-z]+:\d+)(\/.+)$/;

function isEvent({ normal }: Input): boolean {
  return normal === undefined;
}
