import type { BlockList } from "node:net";
import type { TrustedTime } from "../../domain/clock.ts";
import type { Actor } from "../../domain/event.ts";
import type { Zone } from "../../domain/zone.ts";
import type { ZoneContext } from "../zone-context.ts";
import type { ZoneEngine } from "../zone-engine.ts";
import { allowedOf, isAllowed } from "./allowed-addresses.ts";
import type { FrameRead } from "../../dc09/frame-reader.ts";
import {
  encryptedContent,
  messageHead,
  plainContent,
  type MessageContent,
  type MessageHead,
} from "../../dc09/message.ts";
import { MessageRate } from "./message-rate.ts";
import { eventsOf, isWithheld } from "./message-events.ts";
import { MessageTimes, type MessageTime } from "./message-times.ts";
import type { AlarmPanelAccount } from "../../domain/alarm-panel.ts";
import type { AlarmPanelChanges, PlannedEvent } from "./alarm-panel-changes.ts";
import type { AlarmPanelEvent } from "./alarm-panel-code.ts";
import {
  MessageRejection,
  refusal,
  REPLY_TO,
  type AlarmPanelRejections,
  type MessageRejectionReason,
} from "./alarm-panel-rejections.ts";
import type { AlarmPanelSupervision } from "./alarm-panel-supervision.ts";
import { contactsOf, sharedZoneOf, zonesOfNumber, type AlarmPanelZones } from "./alarm-panel-zones.ts";
import { identityOf } from "./message-identity.ts";
import type { RepeatedMessages } from "./repeated-messages.ts";
import { ack, duh, isOwnAck, nak, type ReplyTarget } from "../../dc09/reply.ts";

interface AlarmPanelIntakeOptions extends Pick<ZoneContext, "journal" | "clock" | "log"> {
  readonly accounts: readonly AlarmPanelAccount[];
  readonly time: TrustedTime;
  readonly monitor: ZoneEngine;
  readonly repeated: RepeatedMessages;
  readonly changes: AlarmPanelChanges;
  readonly refusals: AlarmPanelRejections;
  readonly supervision: AlarmPanelSupervision;
  readonly alarmPanelZones: AlarmPanelZones;
  /** The zones in force. */
  readonly zones: () => readonly Zone[];
  /** Monitors a created zone from now on. */
  readonly addZone: (zone: Zone, by: Actor) => void;
}

/** What became of a message. */
export interface IntakeResult {
  /** Whether it shows that an alarm panel has sent it just now. A repetition may be a recording: it is acknowledged and shows nothing. */
  readonly isProof: boolean;
  readonly isRejected: boolean;
  /** Undefined if the panel gets none. */
  readonly reply: Buffer | undefined;
}

/** A message of a known account with its content. */
interface Known {
  readonly panel: AlarmPanelAccount;
  readonly key: Buffer | undefined;
  readonly head: MessageHead;
  readonly content: MessageContent;
  /** Of the sender. */
  readonly address: string;
}

/** Processes messages of alarm panels: a message is acknowledged once what it changes is on disk. */
export class AlarmPanelIntake {
  readonly #options: AlarmPanelIntakeOptions;
  readonly #accounts: ReadonlyMap<string, AlarmPanelAccount & { readonly allowed: BlockList | undefined }>;
  readonly #rate: MessageRate;
  readonly #times: MessageTimes;
  /** For messages that may be recorded. */
  readonly #recordedRate: MessageRate;
  /** Messages by result since the start. */
  readonly counts = new Map<"acknowledged" | "repeated", number>([
    ["acknowledged", 0],
    ["repeated", 0],
  ]);

  constructor(options: AlarmPanelIntakeOptions) {
    this.#options = options;
    this.#rate = new MessageRate(options.clock);
    this.#times = new MessageTimes(options);
    this.#recordedRate = new MessageRate(options.clock);
    this.#accounts = new Map(
      options.accounts.map((panel) => [panel.account, { ...panel, allowed: allowedOf(panel.from) }]),
    );
  }

  /** Processes what was read. Never rejects. @param address of the sender */
  async take(read: FrameRead, address: string): Promise<IntakeResult> {
    if ("refusal" in read) return this.#refused(read.refusal, "", address);
    const { body, dialect } = read;
    const head = messageHead(body);
    if (!head) return this.#refused("malformed", "", address);
    const answered = { head, dialect };
    let known: Known | undefined;
    try {
      known = this.#known(head, address);
      return await this.#takeKnown(known, answered);
    } catch (error) {
      const reason = error instanceof MessageRejection ? error.reason : "not-stored";
      if (reason === "not-stored") this.#options.log.error("dc09-message-write-failed", { error });
      return {
        ...this.#refused(reason, head.account ?? "", address),
        reply: this.#replyTo(reason, answered),
      };
    } finally {
      if (known) await this.#options.repeated.keepHeard(known.panel.account);
    }
  }

  #refused(reason: MessageRejectionReason, account: string, address: string): IntakeResult {
    this.#options.refusals.note(reason, account, address);
    return { isProof: false, isRejected: true, reply: undefined };
  }

  #replyTo(reason: MessageRejectionReason, answered: ReplyTarget): Buffer | undefined {
    const { clock, time } = this.#options;
    const kind = REPLY_TO[reason];
    // A wrong time would be that of the alarm panel from then on.
    if (kind === "nak" && time.isTrusted()) return nak(answered, clock.wallMs());
    return kind === undefined ? undefined : duh(answered);
  }

  /** The account and content of a message. @throws MessageRejection */
  #known(head: MessageHead, address: string): Known {
    // Only a message whose head has no account is read before its sender is checked: anyone can send it.
    const read = head.account === null && !head.isEncrypted ? plainContent(head) : undefined;
    const panel = this.#accounts.get(head.account ?? read?.account ?? "");
    if (!panel) throw refusal("unknown-account");
    if (panel.allowed && !isAllowed(panel.allowed, address)) throw refusal("address");
    if (!head.isEncrypted && !panel.isPlain) throw refusal("plain");
    const key = panel.key === null ? undefined : Buffer.from(panel.key, "hex");
    if (head.isEncrypted) {
      const content = key && encryptedContent(head, key);
      if (!content) throw refusal("key");
      if (content.sentWallMs !== null && isOwnAck(head, content.sentWallMs, key)) throw refusal("replayed");
      return { panel, key, head, content, address };
    }
    const content = read ?? plainContent(head);
    if (!content) throw refusal("malformed");
    return { panel, key: undefined, head, content, address };
  }

  async #takeKnown(known: Known, answered: ReplyTarget): Promise<IntakeResult> {
    const { panel, head, content } = known;
    const { account } = panel;
    const { journal, repeated, changes, zones } = this.#options;
    const shown = this.#times.of(panel, head, content);
    const { isInTime } = shown;
    // Only messages with the right key, or from an allowed address, count: others must not use up the panel's rate. Nor must
    // recorded ones, which have no new time; their own limit bounds the work for them. Of many in one second one is new.
    if (!(shown.isNew ? this.#rate : this.#recordedRate).admits(account)) throw refusal("rate");
    if (head.token === "NULL") {
      if (!isInTime) throw refusal("clock");
      if (shown.isLive) repeated.hear(account, head.sequence);
      this.#noteSeen(known, shown);
      return this.#acknowledged("acknowledged", known, shown, answered);
    }
    const identity = identityOf(account, head, content);
    // Before the check of the time: a repetition of a stored message may be late.
    if (repeated.storedEvents(identity) === "all") {
      if (isInTime && !shown.isOld) repeated.noteRepetition(identity);
      this.#noteSeen(known, shown);
      return this.#acknowledged("repeated", known, shown, answered);
    }
    if (!isInTime) throw refusal("clock");
    if (shown.isLive) repeated.hear(account, head.sequence);
    const events = eventsOf(head.token, content);
    const refused = events.map((event) => this.#refusalOf(panel, event));
    const reason = refused.find((one) => one !== undefined);
    if (reason !== undefined && !refused.includes(undefined)) throw refusal(reason);
    // A clock that stands still makes the same message twice.
    const isRecorded = panel.timestamps === "checked" && repeated.isRecorded(identity);
    const isOld = shown.isOld || repeated.isInDoubt(identity);
    const planned = events.map((event, index) =>
      event === undefined || refused[index] !== undefined || isWithheld(event, isOld, isRecorded)
        ? undefined
        : this.#planned(panel, event),
    );
    const apply = (one: PlannedEvent): void => changes.apply(account, one, zones());
    const work = (): "acknowledged" | "repeated" =>
      repeated.applyOnce(identity, shown.isChecked, planned, apply);
    const result = await journal.groupCommit(work).catch((error: unknown) => {
      this.#options.monitor.reportFailure(error);
      throw error;
    });
    this.#noteSeen(known, shown);
    // The panel shall report a communication failure; what else it has reported is stored.
    if (reason !== undefined) throw refusal(reason);
    return this.#acknowledged(result, known, shown, answered);
  }

  /** A message is accepted: the alarm panel is there, unless it may be a recording. */
  #noteSeen({ panel, head, content, address }: Known, shown: MessageTime): void {
    if (shown.isLive) this.#options.supervision.noteMessage(panel.account, address);
    this.#times.note(panel.account, head, content, shown);
  }

  #acknowledged(
    result: "acknowledged" | "repeated",
    { panel, key, address }: Known,
    { isNew, isOld }: MessageTime,
    answered: ReplyTarget,
  ): IntakeResult {
    const { refusals, clock } = this.#options;
    if (isOld) refusals.note("replayed", panel.account, address);
    else this.counts.set(result, (this.counts.get(result) ?? 0) + 1);
    return { isProof: isNew, isRejected: false, reply: ack(answered, clock.wallMs(), key) };
  }

  /** Why an event cannot be taken: it cannot be read, or is an alarm without a zone, of a panel that may not create one. */
  #refusalOf(panel: AlarmPanelAccount, event?: AlarmPanelEvent): MessageRejectionReason | undefined {
    if (!event) return "malformed";
    if (panel.zones !== "declared" || event.meaning?.what !== "alarm" || event.change === "restored")
      return undefined;
    const zones = this.#options.zones();
    const hasContact = contactsOf(zones, panel.account, event).length > 0;
    const hasZone = hasContact || zonesOfNumber(zones, panel.account, event).length > 0;
    return hasZone ? undefined : "undeclared-zone";
  }

  /** @throws MessageRejection for an alarm whose zone cannot be created */
  #planned(panel: AlarmPanelAccount, event: AlarmPanelEvent): PlannedEvent {
    const { zones, alarmPanelZones, addZone } = this.#options;
    const { account } = panel;
    const contacts = contactsOf(zones(), account, event);
    const { meaning, change } = event;
    const isAlarm = meaning?.what === "alarm" || meaning?.what === "tamper";
    if (contacts.length > 0 || !isAlarm) return { event, contacts };
    const ofNumber = zonesOfNumber(zones(), account, event);
    // Tamper of a zone is its fault.
    if (meaning.what === "tamper" && (panel.zones === "declared" || ofNumber.length > 0))
      return { event, contacts };
    // Another class than that of the zone: a crew of the wrong kind is better than none. Its restoral closes what it opened.
    if (panel.zones === "declared") return { event, contacts: ofNumber };
    if (change === "restored") return { event, contacts: sharedZoneOf(zones(), account, event) };
    const kind = meaning.what === "alarm" ? meaning.kind : "tamper";
    const zone = alarmPanelZones.create(panel, kind, event);
    if (!zone) throw refusal("undeclared-zone");
    const known = zones().find(({ id }) => id === zone.id);
    if (!known) addZone(zone, { who: "santinela", from: "alarm panel" });
    return { event, contacts: [known ?? zone] };
  }
}
