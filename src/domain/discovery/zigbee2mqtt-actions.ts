import { kindOfName } from "./name-hints.ts";
import { BUTTON_RESTORE_S, buttonIn, callsIn, pressesIn } from "./presses.ts";
import { textsOf } from "./values.ts";
import {
  atLeastOne,
  partOf,
  propertySource,
  SWITCHED,
  VALUES_MAX,
  type Bridge,
  type Contact,
  type Described,
  type Exposed,
} from "./zigbee2mqtt-values.ts";

/** Actions of a sensor on a window or a safe; a cube has others besides. */
const SHOCKS = ["vibration", "movement", "shake", "tilt", "drop", "strike", "triple_strike"];

/** A call for help, or else any press of a button; of a sensor that has only these actions, any shock. */
export function actionContacts(value: Exposed, device: Described, bridge: Bridge): Contact[] {
  const { type, name, property, fields } = value;
  if (type !== "enum" || name !== "action") return [];
  const actions = textsOf(fields["values"]);
  const place = propertySource(property, device.name, bridge);
  const common = { part: partOf(value), autoRestoreS: BUTTON_RESTORE_S };
  const guessed = { code: "kind-guessed" } as const;
  const shocks = atLeastOne(actions.every((action) => SHOCKS.includes(action)) ? actions : []);
  if (shocks) return [{ ...common, kind: "glass", input: { ...place, open: shocks }, doubts: [guessed] }];
  const alone = { code: "button-restores-itself" } as const;
  const pressed = { ...common, kind: "panic", isPressed: true } as const;
  const calls = atLeastOne(callsIn(actions));
  if (calls) return [{ ...pressed, input: { ...place, open: calls }, doubts: [alone] }];
  // The button of a lamp or a plug is its switch, and a visitor rings a bell.
  if (device.types.some((one) => SWITCHED.includes(one)) || isBell(device)) return [];
  return byButton(pressesIn(actions)).map(([button, open]) => ({
    ...pressed,
    part: [common.part, button].filter((part) => part !== "").join(" "),
    input: { ...place, open },
    doubts: [guessed, alone],
  }));
}

/** Whether a button is that of a doorbell, which may also be used, and then named, as a panic button. */
function isBell({ name, description }: Described): boolean {
  return /chime|door ?bell/i.test(description) && kindOfName(name) !== "panic";
}

/** All presses, or those of each button if there are more than an option of the configuration can have. */
function byButton(presses: readonly string[]): [button: string, presses: [string, ...string[]]][] {
  const found = new Map<string, string[]>();
  for (const press of presses) {
    const button = presses.length > VALUES_MAX ? buttonIn(press) : "";
    found.set(button, [...(found.get(button) ?? []), press]);
  }
  return [...found].flatMap(([button, own]) => {
    const open = atLeastOne(own);
    return open ? [[button, open] as [string, [string, ...string[]]]] : [];
  });
}
