import type { Contact, ZoneKind } from "../domain/zone.ts";
import type { Availability, Battery, GateMqtt, MqttInput, Tamper } from "../generated/types.ts";

/** What was found at the broker and at the GPIO chips; all times ISO 8601 UTC. */
export interface DiscoveryView {
  readonly listening: {
    /** `off` without MQTT; `denied` if the broker allows this account to read nothing. */
    readonly state: "starting" | "listening" | "unreachable" | "denied" | "off";
    /** Why it does not listen; null if it does. */
    readonly reason: string | null;
    /** When listening ends, unless a user looks again; null if it does not listen. */
    readonly until: string | null;
    /** Messages that found no place in memory. */
    readonly left: number;
  };
  readonly devices: readonly FoundDeviceView[];
  /** Topics of which no device is known, the newest message first. */
  readonly unknown: readonly UnknownTopicView[];
  readonly chips: readonly FoundChipView[];
  /** What is missing in this answer because a limit was reached; empty if nothing is. */
  readonly leftOut: readonly LeftOutView[];
}

/** Something that discovery left out, and what to do. */
export interface LeftOutView {
  readonly code:
    | "announcements"
    | "devices"
    | "bridge-devices"
    | "components"
    | "cameras"
    | "queries"
    | "topics";
  readonly values: Readonly<Record<string, string>>;
  /** The English sentence. */
  readonly text: string;
}

export interface FoundDeviceView {
  /** Unique among the devices. */
  readonly id: string;
  readonly source:
    | "zigbee2mqtt"
    | "tasmota"
    | "shelly"
    | "shelly-rpc"
    | "frigate"
    | "home-assistant"
    | "esphome";
  readonly name: string;
  readonly model: string | null;
  readonly lastMessage: LastMessageView | null;
  /** The newest messages of a device without a proposal, so that a value in them can be pointed at; otherwise empty. */
  readonly topics: readonly UnknownTopicView[];
  readonly proposals: readonly ProposalView[];
}

/** A zone that a device could be. */
export interface ProposalView {
  /** Id of the configured zone that reads it already; null if there is none. */
  readonly zoneId: string | null;
  readonly zone: ProposedZoneView;
  readonly doubts: readonly DoubtView[];
}

/** A zone as in the configuration, without an objective. */
export interface ProposedZoneView {
  readonly id: string;
  readonly name: string;
  readonly kind: ZoneKind;
  readonly input: MqttInput;
  readonly tamper?: Tamper;
  readonly battery?: Battery;
  readonly availability?: Availability;
  readonly bridge?: Availability;
  readonly gate?: GateMqtt;
  readonly autoRestoreS?: number;
  readonly supervisionTimeoutS?: number;
  readonly device?: string;
}

/** What to check before the zone is used. */
export interface DoubtView {
  readonly code: string;
  readonly values: Readonly<Record<string, string>>;
  /** The English sentence. */
  readonly text: string;
}

export interface LastMessageView {
  readonly topic: string;
  /** At most 2,000 characters. */
  readonly payload: string;
  readonly at: string;
  readonly isRetained: boolean;
}

/** What an input of a zone that does not exist yet would have read. */
export interface SensorTrialView {
  /** As in `DiscoveryView`; for a line or loop `listening`. */
  readonly listening: DiscoveryView["listening"]["state"];
  /** The oldest first; at most 20. Empty before the first message, and for a line that cannot be read. */
  readonly readings: readonly TrialReadingView[];
}

export interface TrialReadingView {
  /** Contact as the zone would have it. */
  readonly contact: Contact;
  /** The value that decides it, for a GPIO line its level, for a loop its state and ohms; null if the message does not have it. */
  readonly value: string | number | boolean | null;
  /** Null for a line or loop. */
  readonly message: LastMessageView | null;
  /** Whether it arrived before the trial, or is a retained message: it proves nothing about the sensor now. */
  readonly isEarlier: boolean;
  /** ISO 8601 UTC. */
  readonly at: string;
}

/** What a value of a message would be as the contact of a zone, by its words. */
export interface ContactGuessView {
  /** Null for the whole payload. */
  readonly path: string | null;
  /** Null if no word tells it. */
  readonly kind: ZoneKind | null;
  /** Values that mean open; empty if the value does not tell. */
  readonly open: readonly (string | number | boolean)[];
  /** Values that mean normal; empty if the value does not tell. */
  readonly normal: readonly (string | number | boolean)[];
}

export interface UnknownTopicView {
  readonly lastMessage: LastMessageView;
  /** Values that can be pointed at; `path` is null for the whole payload. */
  readonly fields: readonly { readonly path: string | null; readonly value: string | number | boolean }[];
  /** What each value would be as the contact of a zone; the likeliest contact first. */
  readonly guesses: readonly ContactGuessView[];
  /** Ids of the configured zones that use this topic. */
  readonly zoneIds: readonly string[];
}

export interface FoundChipView {
  readonly path: string;
  readonly label: string;
  /** Whether zones can use the lines of this chip. */
  readonly isUsed: boolean;
  /** Its name in `gpio.chips`, which its zones name; null for the chip of zones that name none. */
  readonly name: string | null;
  readonly lines: readonly {
    readonly line: number;
    readonly name: string;
    /** The program that holds it; null if it is free. */
    readonly holder: string | null;
    readonly level: 0 | 1 | null;
    readonly zoneId: string | null;
  }[];
}
