import type { Router } from "express";
import { openBrokerAddress } from "../config/broker-address.ts";
import type { Config } from "../config/config.ts";
import { isoTime, type CancelTimer, type Clock } from "../domain/clock.ts";
import type { DiscoveredDevice } from "../domain/discovery/device.ts";
import { leftOutText } from "../domain/discovery/left-out.ts";
import { readableTopics, type ReadableTopics } from "../domain/discovery/readable-topics.ts";
import { chipNames, chipSelectorOf } from "../domain/gpio-chip.ts";
import type { Remote } from "../domain/remote.ts";
import { canonical } from "../domain/zone-changes.ts";
import type { Zone } from "../domain/zone.ts";
import type { AuthGuards } from "../http/auth-guards.ts";
import { readBody } from "../http/body.ts";
import { addResource, json } from "../http/resource.ts";
import type { DiscoverySession } from "../inputs/discovery-session.ts";
import type { ListedChip } from "../inputs/gpio/chip-list.ts";
import { chosenOrNone } from "../inputs/gpio/chips.ts";
import { contactAt, gpioLinesOf } from "../inputs/gpio/line-bindings.ts";
import { deviceViews, topicView } from "./found-devices.ts";
import { requestObject } from "./request-parameters.ts";
import type { LoopTrials } from "./loop-trial.ts";
import { lineReading, SensorTrial, trialInputOf, type TrialInput } from "./sensor-trial.ts";
import type { DiscoveryView, FoundChipView, SensorTrialView } from "./discovery-view.ts";

/** After this time without a look the session ends, so that a site does not pay for all messages at its broker. */
const LISTEN_MS = 600_000;
/** Listing the chips starts a program. */
const CHIPS_FOR_MS = 5_000;
/** A contact is opened by hand and seen within a second. */
const TRIAL_CHIPS_FOR_MS = 900;
/** A user and a colleague, each with a phone and a laptop. */
const TRIALS_MAX = 4;
const UNKNOWN_MAX = 200;

/**
 * GET /site/discovered: listens while users look. POST /site/discovered/trial: what an input would read, before there is a
 * zone. For administrators: messages of other programs are shown.
 */
export function discoveryRoutes(
  router: Router,
  { administrator }: AuthGuards,
  discovery: SiteDiscovery,
): void {
  addResource(router, "/site/discovered", administrator, { get: json(() => discovery.look()) });
  addResource(router, "/site/discovered/trial", administrator, {
    post: [readBody, json((request) => discovery.tryOut(trialInputOf(requestObject(request)["input"])))],
  });
}

interface SiteDiscoveryParts {
  readonly config: Pick<Config, "mqtt" | "zones" | "gpio" | "site" | "homeAssistant">;
  readonly clock: Clock;
  /** The port of the built-in broker; null while it does not listen. */
  readonly brokerPort: () => Promise<number | null>;
  readonly loops: Remote<LoopTrials>;
}

/** Devices at the broker and lines of the GPIO chips that could be zones; nothing becomes a zone by itself. */
export class SiteDiscovery {
  readonly #parts: SiteDiscoveryParts;
  #session: DiscoverySession | undefined;
  #untilMs = 0;
  #cancelEnd: CancelTimer = () => {};
  #chips: { readonly atMs: number; readonly list: readonly ListedChip[] } | undefined;
  #isStopped = false;
  /** By their input, the last used one last. */
  readonly #trials = new Map<string, SensorTrial>();

  constructor(parts: SiteDiscoveryParts) {
    this.#parts = parts;
  }

  /** What has been found so far; listens from now on, for ten minutes after the last look. */
  async look(): Promise<DiscoveryView> {
    await this.#listen();
    const { zones } = this.#parts.config;
    const session = this.#session;
    const messages = session?.messages;
    const { devices, leftOut } = session?.found() ?? { devices: [], leftOut: [] };
    const { ofDevices, others, hasMore } = this.#readable(devices);
    if (hasMore || messages?.hasForgottenTopics === true)
      leftOut.push({ code: "topics", values: { limit: String(UNKNOWN_MAX) } });
    return {
      listening: {
        ...(session?.state ?? this.#stateWithout),
        until: session ? isoTime(this.#untilMs) : null,
        left: messages?.left ?? 0,
      },
      devices: deviceViews(devices, { messages: messages?.all() ?? [], topics: ofDevices }, zones),
      unknown: others.map((message) => topicView(message, zones)),
      chips: await this.#chipViews(),
      leftOut: leftOut.map((one) => ({ ...one, text: leftOutText(one) })),
    };
  }

  /**
   * What an input would have read since the first call for it, beginning with the last known message of its topic.
   * Nothing trips: there is no zone. Listens as `look` does.
   */
  async tryOut(input: TrialInput): Promise<SensorTrialView> {
    if (input.source === "gpio") return this.#lineTrial(input);
    if (input.source === "adc") {
      return { listening: "listening", readings: await this.#parts.loops.read(input) };
    }
    await this.#listen();
    const { source: _source, ...rule } = input;
    const key = canonical(rule);
    const trial = this.#trials.get(key) ?? new SensorTrial(rule);
    if (!this.#trials.delete(key))
      for (const { topic, text, isRetained, atMs } of this.#session?.messages.all() ?? [])
        trial.take({ topic, payload: Buffer.from(text), isRetained, atMs }, true);
    this.#trials.set(key, trial);
    const [oldest] = this.#trials.keys();
    if (this.#trials.size > TRIALS_MAX && oldest !== undefined) this.#trials.delete(oldest);
    const { state } = this.#session?.state ?? this.#stateWithout;
    return { listening: state, readings: trial.readings };
  }

  async #lineTrial({ gpio, chip, contact }: TrialInput & { source: "gpio" }): Promise<SensorTrialView> {
    const { config, clock } = this.#parts;
    const chips = config.gpio.backend === "simulated" ? [] : await this.#listedChips(TRIAL_CHIPS_FOR_MS);
    const used = chosenOrNone(chips, chipSelectorOf(config.gpio, chip));
    const line = used?.list.find(({ number }) => number === gpio);
    const level = line?.level ?? null;
    const readings =
      level === null ? [] : [lineReading(contactAt({ contact }, level), level, clock.wallMs())];
    return { listening: "listening", readings };
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#end();
  }

  async #listen(): Promise<void> {
    const { config, clock } = this.#parts;
    if (config.mqtt.mode === "off" || this.#isStopped) return;
    this.#untilMs = clock.wallMs() + LISTEN_MS;
    this.#cancelEnd();
    this.#cancelEnd = clock.after(LISTEN_MS, () => void this.#end());
    if (this.#session) return;
    const broker = await openBrokerAddress(config.mqtt, this.#parts.brokerPort);
    if (!broker) return;
    // Loaded on use: few looks are taken in the life of an installation.
    const { DiscoverySession: Session } = await import("../inputs/discovery-session.ts");
    // Another look may have begun in the meantime, or the daemon stops.
    if (this.#session !== undefined || this.#isStopped) return;
    const { ref } = config.site;
    this.#session = new Session({
      broker,
      clock,
      discovery: {
        replyTo: `santinela/discovery/${ref}`,
        prefix: config.homeAssistant.prefix,
        own: `santinela/${ref}/`,
      },
      onMessage: (message) => {
        for (const trial of this.#trials.values()) trial.take(message);
      },
    });
    await this.#session.start();
  }

  /** The state while there is no session. */
  get #stateWithout(): Pick<DiscoveryView["listening"], "state" | "reason"> {
    return this.#parts.config.mqtt.mode === "off"
      ? { state: "off", reason: null }
      : { state: "unreachable", reason: "the built-in broker does not listen yet" };
  }

  async #end(): Promise<void> {
    this.#cancelEnd();
    const session = this.#session;
    this.#session = undefined;
    this.#trials.clear();
    await session?.stop();
  }

  #readable(devices: readonly DiscoveredDevice[]): ReadableTopics {
    const { messages } = this.#session ?? {};
    const own = ["santinela", this.#parts.config.homeAssistant.prefix];
    return readableTopics(
      devices,
      { all: messages?.all() ?? [], unannounced: messages?.others() ?? [] },
      {
        limit: UNKNOWN_MAX,
        isOwn: (topic) =>
          own.some((level) => topic.startsWith(`${level}/`)) || this.#session?.hasAskedOn(topic) === true,
      },
    );
  }

  async #chipViews(): Promise<FoundChipView[]> {
    const { gpio, zones } = this.#parts.config;
    const chips = gpio.backend === "simulated" ? [] : await this.#listedChips();
    const used = chipNames(gpio).map((name) => ({
      name,
      chip: chosenOrNone(chips, chipSelectorOf(gpio, name)),
    }));
    return chips.map((chip) => {
      const names = used.filter((one) => one.chip === chip).map(({ name }) => name);
      return {
        path: chip.path,
        label: chip.label,
        isUsed: names.length > 0,
        name: names[0] ?? null,
        lines: chip.list.map(({ number, name, holder, level }) => ({
          line: number,
          name,
          holder: holder === "" ? null : holder,
          level,
          zoneId: zoneAt(number, names, zones)?.id ?? null,
        })),
      };
    });
  }

  /** @param forMs how old the list may be, in milliseconds */
  async #listedChips(forMs = CHIPS_FOR_MS): Promise<readonly ListedChip[]> {
    const nowMs = this.#parts.clock.monotonicMs();
    if (this.#chips && nowMs - this.#chips.atMs < forMs) return this.#chips.list;
    const { listChips } = await import("../inputs/gpio/chip-list.ts");
    // Without chips or the right to see them there is nothing to offer; `santinela gpio list` says why.
    const { chips: list } = await listChips().catch(() => ({ chips: [] }));
    this.#chips = { atMs: nowMs, list };
    return list;
  }
}

/** @param chips the names of a chip */
function zoneAt(
  number: number,
  chips: readonly (string | undefined)[],
  zones: readonly Zone[],
): Zone | undefined {
  return zones.find((zone) =>
    gpioLinesOf(zone).some(({ gpio, chip }) => gpio === number && chips.includes(chip)),
  );
}
