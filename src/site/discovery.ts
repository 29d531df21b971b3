import type { Router } from "express";
import { brokerAddress } from "../config/broker-address.ts";
import type { Config } from "../config/config.ts";
import { isoTime, type CancelTimer, type Clock } from "../domain/clock.ts";
import type { DiscoveredDevice, DiscoveryOptions, HeardMessage } from "../domain/discovery/device.ts";
import { doubtText } from "../domain/discovery/doubt.ts";
import { configuredName, uniqueId, zoneReading } from "../domain/discovery/proposed-zone.ts";
import { discoveredDevices } from "../domain/discovery/sources.ts";
import { matchesFilter } from "../domain/topic-filter.ts";
import type { Zone } from "../domain/zone.ts";
import type { AuthGuards } from "../http/auth-guards.ts";
import { addResource, json } from "../http/resource.ts";
import type { DiscoverySession } from "../inputs/discovery-session.ts";
import type { ListedChip } from "../inputs/gpio/character-device.ts";
import { chosenChip } from "../inputs/gpio/chips.ts";
import { scalarsIn } from "./message-fields.ts";
import type {
  DiscoveryView,
  FoundChipView,
  FoundDeviceView,
  LastMessageView,
  UnknownTopicView,
} from "./discovery-view.ts";

/** After this time without a look the session ends, so that a site does not pay for all messages at its broker. */
const LISTEN_MS = 600_000;
/** Listing the chips starts a program. */
const CHIPS_FOR_MS = 5_000;
const UNKNOWN_MAX = 200;
const PAYLOAD_LENGTH_MAX = 2_000;

/** GET /site/discovered: listens while users look. For administrators: messages of other programs are shown. */
export function discoveryRoutes(
  router: Router,
  { administrator }: AuthGuards,
  discovery: SiteDiscovery,
): void {
  addResource(router, "/site/discovered", administrator, { get: json(() => discovery.look()) });
}

export interface SiteDiscoveryParts {
  readonly config: Pick<Config, "mqtt" | "zones" | "gpio" | "site" | "homeAssistant">;
  readonly clock: Clock;
}

/** Devices at the broker and lines of the GPIO chips that could be zones; nothing becomes a zone by itself. */
export class SiteDiscovery {
  readonly #parts: SiteDiscoveryParts;
  #session: DiscoverySession | undefined;
  #untilMs = 0;
  #cancelEnd: CancelTimer = () => {};
  #chips: { readonly atMs: number; readonly list: readonly ListedChip[] } | undefined;
  #isStopped = false;

  constructor(parts: SiteDiscoveryParts) {
    this.#parts = parts;
  }

  /** What has been found so far; listens from now on, for ten minutes after the last look. */
  async look(): Promise<DiscoveryView> {
    await this.#listen();
    const { zones } = this.#parts.config;
    const session = this.#session;
    const messages = session?.messages;
    const devices = messages ? discoveredDevices(messages.all(), this.#options) : [];
    return {
      listening: {
        ...(session?.state ?? { state: "off", reason: null }),
        until: session ? isoTime(this.#untilMs) : null,
        left: messages?.left ?? 0,
      },
      devices: deviceViews(devices, messages?.all() ?? [], zones),
      unknown: this.#unknown(devices, messages?.others() ?? []),
      chips: await this.#chipViews(),
    };
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#end();
  }

  get #options(): DiscoveryOptions {
    const { site, homeAssistant } = this.#parts.config;
    return {
      replyTo: `santinela/discovery/${site.ref}`,
      prefix: homeAssistant.prefix,
      own: `santinela/${site.ref}/`,
    };
  }

  async #listen(): Promise<void> {
    const { config, clock } = this.#parts;
    const broker = brokerAddress(config.mqtt);
    if (!broker || this.#isStopped) return;
    this.#untilMs = clock.wallMs() + LISTEN_MS;
    this.#cancelEnd();
    this.#cancelEnd = clock.after(LISTEN_MS, () => void this.#end());
    if (this.#session) return;
    // Loaded on use: few looks are taken in the life of an installation.
    const { DiscoverySession: Session } = await import("../inputs/discovery-session.ts");
    // Another look may have begun in the meantime, or the daemon stops.
    if (this.#session !== undefined || this.#isStopped) return;
    this.#session = new Session({ broker, clock, discovery: this.#options });
    await this.#session.start();
  }

  async #end(): Promise<void> {
    this.#cancelEnd();
    const session = this.#session;
    this.#session = undefined;
    await session?.stop();
  }

  #unknown(devices: readonly DiscoveredDevice[], others: readonly HeardMessage[]): UnknownTopicView[] {
    const { zones, homeAssistant } = this.#parts.config;
    const known = new Set(devices.flatMap(({ topics }) => topics));
    const own = ["santinela", homeAssistant.prefix];
    const newest = new Map<string, HeardMessage>();
    for (const message of others) {
      const { topic } = message;
      if (own.some((level) => topic.startsWith(`${level}/`)) || isBelow(topic, known)) continue;
      newest.set(topic, message);
    }
    return [...newest.values()]
      .sort((a, b) => b.atMs - a.atMs)
      .slice(0, UNKNOWN_MAX)
      .map((message) => ({
        lastMessage: messageView(message),
        fields: scalarsIn(message),
        zoneIds: zones
          .filter(({ input }) => input.source === "mqtt" && matchesFilter(message.topic, input.mqtt))
          .map(({ id }) => id),
      }));
  }

  async #chipViews(): Promise<FoundChipView[]> {
    const { gpio, zones } = this.#parts.config;
    const chips = gpio.backend === "simulated" ? [] : await this.#listedChips();
    const used = usedChip(chips, gpio.chip);
    return chips.map((chip) => ({
      path: chip.path,
      label: chip.label,
      isUsed: chip === used,
      lines: chip.list.map(({ number, name, holder, level }) => ({
        line: number,
        name,
        holder: holder === "" ? null : holder,
        level,
        zoneId: chip === used ? (zoneAt(number, zones)?.id ?? null) : null,
      })),
    }));
  }

  async #listedChips(): Promise<readonly ListedChip[]> {
    const nowMs = this.#parts.clock.monotonicMs();
    if (this.#chips && nowMs - this.#chips.atMs < CHIPS_FOR_MS) return this.#chips.list;
    const { listChips } = await import("../inputs/gpio/character-device.ts");
    // Without chips or the right to see them there is nothing to offer; `santinela gpio list` says why.
    const list = await listChips().catch(() => []);
    this.#chips = { atMs: nowMs, list };
    return list;
  }
}

/** Whether a topic is one of these or below it. */
function isBelow(topic: string, topics: ReadonlySet<string>): boolean {
  for (let end = topic.length; end > 0; end = topic.lastIndexOf("/", end - 1))
    if (topics.has(topic.slice(0, end))) return true;
  return false;
}

function deviceViews(
  devices: readonly DiscoveredDevice[],
  heard: readonly HeardMessage[],
  zones: readonly Zone[],
): FoundDeviceView[] {
  const usedIds = new Set(zones.map(({ id }) => id));
  return devices.map(({ id, source, name, model, topics, proposals }) => {
    const last =
      lastMessageOf(topics, heard) ??
      proposals.flatMap(({ input }) => lastMessageOf([input.mqtt], heard) ?? [])[0];
    return {
      id: `${source} ${id}`,
      source,
      name,
      model: model ?? null,
      lastMessage: last ? messageView(last) : null,
      proposals: proposals.map((proposal) => {
        const { doubts, name: long, ...zone } = proposal;
        const configured = zoneReading(proposal, zones);
        return {
          zoneId: configured?.id ?? null,
          zone: { id: configured?.id ?? uniqueId(long, usedIds), name: configuredName(long), ...zone },
          doubts: doubts.map((doubt) => ({
            code: doubt.code,
            values: doubt.values ?? {},
            text: doubtText(doubt),
          })),
        };
      }),
    };
  });
}

function lastMessageOf(topics: readonly string[], heard: readonly HeardMessage[]): HeardMessage | undefined {
  const own = new Set(topics);
  return heard
    .filter(({ topic }) => isBelow(topic, own))
    .reduce<HeardMessage | undefined>((last, one) => (last && last.atMs > one.atMs ? last : one), undefined);
}

function messageView({ topic, text, atMs, isRetained }: HeardMessage): LastMessageView {
  return { topic, payload: text.slice(0, PAYLOAD_LENGTH_MAX), at: isoTime(atMs), isRetained };
}

function usedChip(chips: readonly ListedChip[], label: string | undefined): ListedChip | undefined {
  try {
    return chosenChip(chips, label);
  } catch {
    return undefined;
  }
}

function zoneAt(line: number, zones: readonly Zone[]): Zone | undefined {
  return zones.find(
    ({ input, gate }) =>
      (input.source === "gpio" && input.gpio === line) || (gate.by === "gpio" && gate.gpio === line),
  );
}
