import type { Battery, Tamper } from "../../generated/types.ts";
import {
  devicesUpToLimit,
  type DiscoveredDevice,
  type DiscoverySource,
  type Messages,
  type Proposal,
} from "./device.ts";
import type { OnLeftOut } from "./left-out.ts";
import { messageAt } from "./message-index.ts";
import { PRESSED_WITHIN_S, WEEKLY } from "./presses.ts";
import { fieldOf, isFields, listOf, textOf } from "./values.ts";
import { contactsOf, tamperIn } from "./zigbee2mqtt-contacts.ts";
import { propertySource, scalarOr, type Bridge, type Described, type Exposed } from "./zigbee2mqtt-values.ts";

/** What bridges warn at. */
const BATTERY_BELOW_PERCENT = 15;
/** Of one bridge, so that it cannot hide those of others; a Zigbee network has a few hundred. */
const LISTED_MAX = 1_000;
/** The largest devices have about fifty values. */
const EXPOSED_MAX = 256;

/** zigbee2mqtt: `<base>/bridge/devices`, retained, has all devices with what they expose. */
export const zigbee2mqtt: DiscoverySource = {
  name: "zigbee2mqtt",
  filters: ["+/bridge/devices", "+/bridge/info", "+/bridge/state", "+/+/availability"],
  isAnnouncement: (topic) => /.\/bridge\/(devices|info|state)$/.test(topic),
  devices: (messages, { onLeftOut = () => {} }) =>
    devicesUpToLimit(
      messages,
      ({ topic, json }) =>
        topic.endsWith("/bridge/devices") && Array.isArray(json)
          ? devicesBelow(topic.slice(0, -"/bridge/devices".length), json, messages, onLeftOut)
          : [],
      onLeftOut,
    ),
};

function devicesBelow(
  base: string,
  listed: readonly unknown[],
  messages: Messages,
  onLeftOut: OnLeftOut,
): DiscoveredDevice[] {
  if (listed.length > LISTED_MAX) onLeftOut("bridge-devices", LISTED_MAX);
  const config = fieldOf(messageAt(messages, `${base}/bridge/info`)?.json, "config");
  const output = fieldOf(fieldOf(config, "advanced"), "output");
  const bridge: Bridge = { base, hasTopicForEachValue: output === "attribute", messages };
  return listed.slice(0, LISTED_MAX).flatMap((device) => {
    if (!isFields(device) || device["type"] === "Coordinator" || device["disabled"] === true) return [];
    const address = textOf(device["ieee_address"]);
    const name = textOf(device["friendly_name"]) ?? address;
    if (address === undefined || name === undefined || /[+#]/.test(name)) return [];
    const { definition } = device;
    const model = [fieldOf(definition, "vendor"), fieldOf(definition, "model")].flatMap(
      (part) => textOf(part) ?? [],
    );
    const exposes = fieldOf(definition, "exposes");
    const exposed = exposedBy(exposes);
    if (exposed.length > EXPOSED_MAX) onLeftOut("components", EXPOSED_MAX);
    const described: Described = {
      name,
      description: textOf(fieldOf(definition, "description")) ?? "",
      types: listOf(exposes).flatMap((one) => textOf(fieldOf(one, "type")) ?? []),
      exposed: exposed.slice(0, EXPOSED_MAX),
      hasAvailability: reportsAvailability(config, address),
    };
    return [
      {
        id: address,
        source: "zigbee2mqtt" as const,
        name,
        model: model.length > 0 ? model.join(" ") : textOf(device["model_id"]),
        topics: [`${base}/${name}`],
        proposals: proposalsOf(described, bridge),
      },
    ];
  });
}

/** All values, also those in the features of a lock, a cover or a keypad. */
function exposedBy(exposes: unknown, depth = 0): Exposed[] {
  if (depth > 3) return [];
  return listOf(exposes).flatMap((fields) => {
    if (!isFields(fields)) return [];
    const property = textOf(fields["property"]);
    const name = textOf(fields["name"]) ?? property;
    const type = textOf(fields["type"]);
    const endpoint = textOf(fields["endpoint"]);
    // A composite value is an object in the message, whose fields are not at the top.
    const inner = type === "composite" ? [] : exposedBy(fields["features"], depth + 1);
    if (property === undefined || name === undefined || type === undefined) return inner;
    return [{ type, name, property, endpoint, fields }, ...inner];
  });
}

function proposalsOf(device: Described, bridge: Bridge): Proposal[] {
  const { name, exposed } = device;
  const contacts = contactsOf(device, bridge);
  const tamper = tamperOf(exposed, name, bridge);
  const battery = batteryOf(exposed, name, bridge);
  return contacts.map(({ part, isPressed, doubts, ...contact }) => ({
    ...contact,
    name: contacts.length > 1 ? `${name} ${part}` : name,
    ...(contact.kind === "tamper" ? {} : tamper),
    ...battery,
    ...(device.hasAvailability ? availabilityOf(name, bridge) : {}),
    bridge: { mqtt: `${bridge.base}/bridge/state`, path: "/state" },
    // Values with topics of their own are still one device.
    ...(bridge.hasTopicForEachValue ? { device: name } : {}),
    ...(isPressed && battery.battery
      ? { supervisionTimeoutS: PRESSED_WITHIN_S, doubts: [...doubts, WEEKLY] }
      : { doubts }),
  }));
}

/** The place without a topic that the input has already. */
function statusPlaceOf(property: string, device: string, bridge: Bridge): { mqtt?: string; path?: string } {
  const { mqtt, ...path } = propertySource(property, device, bridge);
  return bridge.hasTopicForEachValue ? { mqtt } : path;
}

function tamperOf(exposed: readonly Exposed[], device: string, bridge: Bridge): { tamper?: Tamper } {
  const value = tamperIn(exposed);
  if (!value) return {};
  const open: Tamper["open"] = [scalarOr(value.fields["value_on"], true)];
  return { tamper: { ...statusPlaceOf(value.property, device, bridge), open } };
}

function batteryOf(exposed: readonly Exposed[], device: string, bridge: Bridge): { battery?: Battery } {
  // The device's own low-battery state is more reliable than a threshold.
  const low = exposed.find(({ type, name }) => type === "binary" && name === "battery_low");
  if (low) {
    const place = statusPlaceOf(low.property, device, bridge);
    return { battery: { ...place, low: [scalarOr(low.fields["value_on"], true)] } };
  }
  const level = exposed.find(({ type, name }) => type === "numeric" && name === "battery");
  if (level)
    return { battery: { ...statusPlaceOf(level.property, device, bridge), below: BATTERY_BELOW_PERCENT } };
  const states = exposed.flatMap(({ type, name, property, fields }) => {
    const lowest = listOf(fields["values"]).find((text) => /^(low|empty)$/i.test(textOf(text) ?? ""));
    const text = type === "enum" && /^battery_(state|level|status)$/.test(name) && textOf(lowest);
    return typeof text === "string" ? [{ property, text }] : [];
  });
  const [state] = states;
  return state ? { battery: { ...statusPlaceOf(state.property, device, bridge), low: [state.text] } } : {};
}

/** Whether the bridge may report availability; once that is switched off, the last report stays retained. */
function reportsAvailability(config: unknown, address: string): boolean {
  const own = fieldOf(fieldOf(fieldOf(config, "devices"), address), "availability") ?? undefined;
  if (own !== undefined) return own !== false;
  return fieldOf(fieldOf(config, "availability"), "enabled") !== false;
}

/** Only if the bridge reports availability, which is an option of it: the topic is retained. */
function availabilityOf(device: string, { base, messages }: Bridge): Pick<Proposal, "availability"> {
  const mqtt = `${base}/${device}/availability`;
  return messageAt(messages, mqtt) ? { availability: { mqtt, path: "/state" } } : {};
}
