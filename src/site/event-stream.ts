import type { Request, Response } from "express";
import type { CancelTimer, Clock } from "../domain/clock.ts";
import { AppError, messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import { principalOf, type AuthGuards } from "../http/auth-guards.ts";
import { isStorageError } from "../store/database.ts";
import { isDamage } from "../store/integrity.ts";
import { positionedStatus } from "./journal-position.ts";
import type { SiteApi } from "./site-api.ts";

/** A user may have a phone and a laptop with two open pages each. */
const STREAMS_PER_ACCOUNT_MAX = 4;
const STREAMS_MAX = 16;
/** A change is in the page within half a second, with the time to draw it; a small load on a Raspberry Pi. */
const POLL_INTERVAL_MS = 250;
/** A page that hears nothing for the time of three takes the stream for broken (panel/live-updates.ts). */
const KEEP_ALIVE_MS = 5_000;
/** Maximum unsent bytes before a stream is closed. */
const UNSENT_BYTES_MAX = 1024 * 1024;

interface Stream {
  readonly request: Request;
  readonly response: Response;
  readonly accountId: number;
  /** The last data sent to the client; only changes are sent. */
  status: string;
  walkTest: string;
  zones: ReadonlyMap<string, string>;
  place: string;
  /** When the last text was sent, monotonic. */
  sentMs: number;
}

interface EventStreamPorts {
  readonly clock: Clock;
  readonly log: Log;
  /** Called for a damaged page of a database. */
  readonly onDamage: (error: unknown) => void;
}

/**
 * GET /site/events: changes at this site as server-sent events (HTML standard, 9.2). `status` and `walk-test` contain
 * /site/status and /site/walk-test, `zones` the changed entries of /site/zones, `zone-list` all ids
 * after a reload has changed them, and `journal` reports new events, and trips that are no longer waiting; its id is
 * the position in the log, so that `Last-Event-ID` shows a client what it missed. The stream polls the tables four
 * times a second while clients are connected, so that other components need not notify it.
 */
export class EventStreams {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #onDamage: (error: unknown) => void;
  readonly #site: SiteApi;
  readonly #guards: AuthGuards;
  readonly #streams = new Set<Stream>();
  #cancelPoll: CancelTimer = () => {};
  #isEnding = false;
  /** Whether the state of an earlier poll is still on its way. */
  #isPolling = false;
  /** Whether the last poll has failed: the log has one line for each outage. */
  #hasFailed = false;

  constructor({ clock, log, onDamage }: EventStreamPorts, site: SiteApi, guards: AuthGuards) {
    this.#clock = clock;
    this.#log = log;
    this.#onDamage = onDamage;
    this.#site = site;
    this.#guards = guards;
  }

  /** Ends all streams and accepts no new ones, so that the server can close. */
  stop(): void {
    this.#isEnding = true;
    this.#cancelPoll();
    for (const { response } of this.#streams) response.end();
  }

  /** Responds with a stream, or with its headers alone to HEAD. @throws AppError `too-many-requests`, `unavailable` */
  async open(request: Request, response: Response): Promise<void> {
    if (request.method === "HEAD") {
      response.type("text/event-stream").end();
      return;
    }
    const { accountId } = principalOf(request);
    this.#assertRoom(accountId);
    const place = String(request.headers["last-event-id"] ?? (await positionedStatus(this.#site)).position);
    this.#assertRoom(accountId);
    response.status(200).set({
      "Content-Type": "text/event-stream; charset=utf-8",
      // A proxy that compresses or transforms the stream would delay events.
      "Cache-Control": "no-store, no-transform",
      "X-Accel-Buffering": "no",
    });
    response.flushHeaders();
    const stream: Stream = {
      request,
      response,
      accountId,
      place,
      status: "",
      walkTest: "",
      zones: new Map<string, string>(),
      sentMs: this.#clock.monotonicMs(),
    };
    this.#streams.add(stream);
    // Before the first state is read: several streams may open meanwhile.
    if (this.#streams.size === 1) this.#schedulePoll();
    response.once("close", () => {
      this.#streams.delete(stream);
      if (this.#streams.size === 0) this.#cancelPoll();
    });
    await this.#sendChanges([stream]);
  }

  #assertRoom(accountId: number): void {
    if (this.#isEnding) throw new AppError("unavailable", "the daemon is stopping", { retryAfterS: 1 });
    const own = [...this.#streams].filter((stream) => stream.accountId === accountId).length;
    if (own >= STREAMS_PER_ACCOUNT_MAX || this.#streams.size >= STREAMS_MAX)
      throw new AppError("too-many-requests", "too many open event streams; close one or try again later", {
        retryAfterS: 30,
      });
  }

  #schedulePoll(): void {
    this.#cancelPoll();
    this.#cancelPoll = this.#clock.after(POLL_INTERVAL_MS, () => {
      this.#schedulePoll();
      if (!this.#isPolling) void this.#poll();
    });
  }

  async #poll(): Promise<void> {
    this.#isPolling = true;
    try {
      // Others still wait for their first state.
      await this.#sendChanges([...this.#streams].filter(({ status }) => status !== ""));
      this.#hasFailed = false;
    } catch (error) {
      // A part of the daemon is restarting, a database cannot be read, or there is a defect; the next poll may have the state. It
      // must not end this thread, over which trips become records.
      if (isDamage(error)) this.#onDamage(error);
      this.#noteFailure(error);
    } finally {
      this.#isPolling = false;
    }
  }

  #noteFailure(error: unknown): void {
    if (!this.#hasFailed) {
      const isDefect = !(error instanceof AppError) && !isStorageError(error);
      if (isDefect) this.#log.error("live-updates-failed", { reason: messageOf(error), error });
      else this.#log.warn("live-updates-failed", { reason: reasonOf(error) });
    }
    this.#hasFailed = true;
  }

  /** Reads the state once and sends each stream its changes. */
  async #sendChanges(streams: readonly Stream[]): Promise<void> {
    const [{ position: place, status: statusView }, walk, zoneViews] = await Promise.all([
      positionedStatus(this.#site),
      this.#site.tests.walk(),
      this.#site.zones.list(),
    ]);
    // Checked last: reading the state may have taken a while.
    const authorized = await Promise.all(
      streams.map(({ request }) => this.#guards.isStillAuthorized(request)),
    );
    const status = JSON.stringify(statusView);
    const walkTest = JSON.stringify(walk);
    const zones = new Map(zoneViews.map((zone) => [zone.id, JSON.stringify(zone)]));
    for (const [index, stream] of streams.entries()) {
      // The token has expired or was revoked.
      if (authorized[index] !== true) {
        stream.response.end();
        continue;
      }
      let text = "";
      const add = (event: string, data: string): void => {
        text += `event: ${event}\nid: ${place}\ndata: ${data}\n\n`;
      };
      // First: a client that loses the rest continues from this place, and gets everything else again.
      if (place !== stream.place) add("journal", "{}");
      const changed = [...zones].filter(([id, zone]) => stream.zones.get(id) !== zone);
      if (changed.length > 0 || stream.status === "")
        add("zones", `[${changed.map(([, zone]) => zone).join()}]`);
      const ids = [...zones.keys()];
      // A reload has added, removed or ordered zones.
      if (stream.status !== "" && ids.join() !== [...stream.zones.keys()].join())
        add("zone-list", JSON.stringify(ids));
      if (status !== stream.status) add("status", status);
      if (walkTest !== stream.walkTest) add("walk-test", walkTest);
      Object.assign(stream, { status, walkTest, zones, place });
      const nowMs = this.#clock.monotonicMs();
      if (text === "" && nowMs - stream.sentMs >= KEEP_ALIVE_MS) text = ": keep-alive\n\n";
      if (text === "") continue;
      stream.sentMs = nowMs;
      this.#write(stream, text);
    }
  }

  /** Ends the stream instead if the client is too slow. */
  #write({ response }: Stream, text: string): void {
    if (response.writableLength > UNSENT_BYTES_MAX) response.end();
    else response.write(text);
  }
}

/** Without a database the error names that alone; its cause has the reason. */
function reasonOf(error: unknown): string {
  return messageOf(error instanceof AppError ? (error.cause ?? error) : error);
}
