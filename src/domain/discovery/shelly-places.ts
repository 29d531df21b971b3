import type { MessageCondition, MqttInput } from "../../generated/types.ts";
import { pointerTo, type Fields } from "./values.ts";

/** A device of the second generation or later, as far as its zones depend on it. */
export interface ShellyParts {
  /** Prefix of its topics. */
  readonly address: string;
  readonly name: string;
  /** By key, such as `input:0`. */
  readonly components: ReadonlyMap<string, { readonly config: Fields; readonly status: Fields }>;
  /** Whether each component has a topic of its own. */
  readonly hasStatusTopics: boolean;
  /** Whether changes of all components are on one topic. */
  readonly hasNotifications: boolean;
  /** Keys of the components that have reported a press. */
  readonly pressed: ReadonlySet<string>;
}

/** A value of a component that is true while it is open. */
export function componentState(key: string, field: string, parts: ShellyParts): MqttInput {
  return { ...componentSource(key, [field], parts), open: [true], normal: [false] };
}

export const EVENT_PATH = "/params/events/event";

/** Where the events of any of some components are. */
export function eventPlaceOf(keys: readonly [string, ...string[]], parts: ShellyParts): Place {
  const where: [MessageCondition] = [{ path: "/params/events/component", in: [...keys] }];
  return { mqtt: eventsOf(parts), where, path: EVENT_PATH };
}

interface Place {
  readonly mqtt: string;
  readonly path: string;
  readonly where?: [MessageCondition];
}

/** Where a value of a component is; a message without the value does not concern it. */
export function componentSource(key: string, fields: readonly string[], parts: ShellyParts): Place {
  return placeIn(key, fields, fields, parts);
}

/** The same for a tamper or battery, of which every message about the component is a sign of life. */
export function componentStatus(key: string, fields: readonly string[], parts: ShellyParts): Place {
  return placeIn(key, fields, [], parts);
}

function placeIn(
  key: string,
  fields: readonly string[],
  present: readonly string[],
  parts: ShellyParts,
): Place {
  if (parts.hasStatusTopics) return { mqtt: `${parts.address}/status/${key}`, path: pointerTo(...fields) };
  // On the common topic a message about another component is no sign of life of this one.
  return {
    mqtt: eventsOf(parts),
    where: [{ path: pointerTo("params", key, ...present), exists: true }],
    path: pointerTo("params", key, ...fields),
  };
}

/** The common topic. */
export function eventsOf({ address }: ShellyParts): string {
  return `${address}/events/rpc`;
}
