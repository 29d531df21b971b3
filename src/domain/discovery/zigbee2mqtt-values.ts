import type { Scalar } from "../plain-value.ts";
import type { Messages, Proposal } from "./device.ts";
import { pointerTo, sentOf, type Fields } from "./values.ts";

/** A binary, numeric or enumerated value of a device. */
export interface Exposed {
  readonly type: string;
  readonly name: string;
  readonly property: string;
  readonly endpoint: string | undefined;
  readonly fields: Fields;
}

/** A device as its bridge describes it. */
export interface Described {
  /** Its name at the bridge, which is part of its topics. */
  readonly name: string;
  /** What it is, in English, such as `Smoke sensor`. */
  readonly description: string;
  /** Types of what it has, such as `cover` or `binary`. */
  readonly types: readonly string[];
  readonly exposed: readonly Exposed[];
  /** Whether its bridge may report that it is available. */
  readonly hasAvailability: boolean;
}

/** How messages of one bridge are laid out. */
export interface Bridge {
  readonly base: string;
  /** Whether each value has a topic of its own instead of a field in one message. */
  readonly hasTopicForEachValue: boolean;
  readonly messages: Messages;
}

/** In an option of the configuration. */
export const VALUES_MAX = 16;
/** Types of what a device has besides its sensors. */
export const SWITCHED = ["switch", "light", "fan", "cover", "climate", "lock"];

/** A value that could be a zone. */
export type Contact = Pick<Proposal, "kind" | "input" | "autoRestoreS" | "doubts"> & {
  readonly part: string;
  /** Of a button, which reports nothing between two presses. */
  readonly isPressed?: true;
};

export function partOf({ endpoint, property }: Exposed): string {
  return endpoint === undefined || property.includes(endpoint) ? property : `${property} ${endpoint}`;
}

export function atLeastOne(values: readonly string[]): [string, ...string[]] | undefined {
  const [first, ...others] = values.slice(0, VALUES_MAX);
  return first === undefined ? undefined : [first, ...others];
}

export function scalarOr(value: unknown, otherwise: Scalar): Scalar {
  return sentOf(value) ?? otherwise;
}

export function propertySource(
  property: string,
  device: string,
  bridge: Bridge,
): { mqtt: string; path?: string } {
  const topic = `${bridge.base}/${device}`;
  return bridge.hasTopicForEachValue
    ? { mqtt: `${topic}/${property}` }
    : { mqtt: topic, path: pointerTo(property) };
}
