import { isOneOf, type Scalar } from "../plain-value.ts";
import { canonical } from "../zone-changes.ts";
import type { Zone } from "../zone.ts";
import { NAME_LENGTH_MAX, visibleText } from "./configured-text.ts";
import type { DiscoveredDevice, Proposal } from "./device.ts";
import { placeOf } from "./proposed-inputs.ts";

/** The configured zones, as far as they read what is proposed. */
export class KnownZones {
  readonly #atPlace = new Map<string, Zone[]>();
  /** The zones that have a tamper where it is read. */
  readonly #tampersAt = new Map<string, Zone[]>();
  /** What zones have as their device, by that of their proposals. */
  readonly #devices = new Map<string, string>();

  constructor(zones: readonly Zone[], devices: readonly DiscoveredDevice[]) {
    for (const zone of zones) {
      const { tamper } = zone.statusSources;
      if (tamper) {
        const key = placeKey(tamper);
        this.#tampersAt.set(key, [...(this.#tampersAt.get(key) ?? []), zone]);
      }
      if (zone.input.source !== "mqtt") continue;
      const key = placeKey(zone.input);
      this.#atPlace.set(key, [...(this.#atPlace.get(key) ?? []), zone]);
    }
    for (const device of devices)
      for (const proposal of device.proposals) {
        const key = deviceKey(proposal, device);
        const zone = key === undefined || this.#devices.has(key) ? undefined : this.readerOf(proposal);
        if (key !== undefined && zone) this.#devices.set(key, zone.device);
      }
  }

  /** The zone that reads what is proposed already; undefined if there is none. */
  readerOf({ input }: Proposal): Zone | undefined {
    const { where } = placeOf(input);
    return this.#atPlace.get(placeKey(input))?.find(
      (zone) =>
        zone.input.source === "mqtt" &&
        // A zone that reads the whole number reads its bits too.
        (zone.input.bits ?? input.bits) === input.bits &&
        canonical(placeOf(zone.input).where) === canonical(where) &&
        // Several zones may read one place: each its own action, state or transmitter's code.
        (namesOneOf([...zone.input.open, ...(zone.input.normal ?? [])], input.open) ||
          (input.normal !== undefined && zone.input.normal === undefined)),
    );
  }

  /** The proposals of a device. A detector of which a zone is configured keeps that zone's device, so that the two do not confirm each other. */
  proposalsOf(device: DiscoveredDevice): Proposal[] {
    return device.proposals.map((proposal) => {
      const key = deviceKey(proposal, device);
      const label = (key === undefined ? undefined : this.#devices.get(key)) ?? proposal.device;
      const reader = proposal.kind === "tamper" ? this.#tamperReaderOf(proposal) : undefined;
      return {
        ...proposal,
        ...(label === undefined ? {} : { device: configuredDevice(label) }),
        doubts: [
          ...proposal.doubts,
          ...(reader ? [{ code: "tamper-of-zone", values: { zone: reader.id } } as const] : []),
        ],
      };
    });
  }

  /** The zone that has what is proposed as its tamper. */
  #tamperReaderOf({ input }: Proposal): Zone | undefined {
    return this.#tampersAt
      .get(placeKey(input))
      ?.find(({ statusSources: { tamper } }) => tamper && namesOneOf(tamper.open ?? [], input.open));
  }
}

/**
 * Identifies the detector of a proposal; undefined if it is not known. A Bluetooth sensor is one behind any gateway, and codes on a
 * topic may be those of several.
 */
function deviceKey({ device, doubts }: Proposal, { source, id }: DiscoveredDevice): string | undefined {
  if (device === undefined || doubts.some(({ code }) => code === "codes-one-device")) return undefined;
  return device.startsWith("BLU ") ? device : canonical([source, id, device]);
}

/** A device that the configuration accepts: its end has what tells it from others, such as an address. */
function configuredDevice(device: string): string {
  return visibleText(device).slice(-NAME_LENGTH_MAX).join("");
}

function placeKey(input: Parameters<typeof placeOf>[0]): string {
  const { mqtt, path } = placeOf(input);
  return canonical([mqtt, path ?? null]);
}

function namesOneOf(values: readonly Scalar[], sought: readonly Scalar[]): boolean {
  return values.some((value) => isOneOf(sought, value));
}
