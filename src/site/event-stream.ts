import type { Request, Response } from "express";
import type { CancelTimer, Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import { principalOf, type AuthGuards } from "../http/auth-guards.ts";
import type { Site } from "./site.ts";
import type { TimelineCursor } from "./timeline.ts";

/** A user may have a phone and a laptop with two open pages each. */
const STREAMS_PER_ACCOUNT_MAX = 4;
const STREAMS_MAX = 16;
/** Fast enough for live updates, negligible load on a Raspberry Pi. */
const POLL_INTERVAL_MS = 500;
/** A third of the idle timeout of connections. */
const KEEP_ALIVE_MS = 15_000;
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
  quietMs: number;
}

/**
 * GET /site/events: changes at this site as server-sent events (HTML standard, 9.2). `status` and `walk-test` contain
 * /site/status and /site/walk-test, `zones` the changed entries of /site/zones, and `journal` reports new events; its id is
 * the position in the log, so that `Last-Event-ID` shows a client what it missed. The stream polls the tables twice a
 * second while clients are connected, so that other components need not notify it.
 */
export class EventStreams {
  readonly #clock: Clock;
  readonly #site: Site;
  readonly #guards: AuthGuards;
  readonly #streams = new Set<Stream>();
  #cancelPoll: CancelTimer = () => {};
  #isEnding = false;

  constructor(clock: Clock, site: Site, guards: AuthGuards) {
    this.#clock = clock;
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
  open(request: Request, response: Response): void {
    if (request.method === "HEAD") {
      response.type("text/event-stream").end();
      return;
    }
    const { accountId } = principalOf(request);
    this.#assertRoom(accountId);
    response.status(200).set({
      "Content-Type": "text/event-stream; charset=utf-8",
      // A proxy that compresses or transforms the stream would delay events.
      "Cache-Control": "no-store, no-transform",
      "X-Accel-Buffering": "no",
    });
    response.flushHeaders();
    const place = String(request.headers["last-event-id"] ?? placeText(this.#site.timeline.place()));
    const stream: Stream = {
      request,
      response,
      accountId,
      place,
      status: "",
      walkTest: "",
      zones: new Map<string, string>(),
      quietMs: 0,
    };
    this.#streams.add(stream);
    response.once("close", () => {
      this.#streams.delete(stream);
      if (this.#streams.size === 0) this.#cancelPoll();
    });
    this.#sendChanges([stream]);
    if (this.#streams.size === 1) this.#schedulePoll();
  }

  #assertRoom(accountId: number): void {
    if (this.#isEnding) throw new AppError("unavailable", "the daemon is stopping");
    const own = [...this.#streams].filter((stream) => stream.accountId === accountId).length;
    if (own >= STREAMS_PER_ACCOUNT_MAX || this.#streams.size >= STREAMS_MAX)
      throw new AppError("too-many-requests", "too many open event streams; close one or try again later", {
        retryAfterS: 30,
      });
  }

  #schedulePoll(): void {
    this.#cancelPoll();
    this.#cancelPoll = this.#clock.after(POLL_INTERVAL_MS, () => {
      this.#sendChanges([...this.#streams]);
      if (this.#streams.size > 0 && !this.#isEnding) this.#schedulePoll();
    });
  }

  /** Reads the state once and sends each stream its changes. */
  #sendChanges(streams: readonly Stream[]): void {
    const status = JSON.stringify(this.#site.status());
    const walkTest = JSON.stringify(this.#site.tests.walk());
    const zones = new Map(this.#site.zones.list().map((zone) => [zone.id, JSON.stringify(zone)]));
    const place = placeText(this.#site.timeline.place());
    for (const stream of streams) {
      let text = "";
      const add = (event: string, data: string): void => {
        text += `event: ${event}\nid: ${place}\ndata: ${data}\n\n`;
      };
      const changed = [...zones].filter(([id, zone]) => stream.zones.get(id) !== zone);
      if (changed.length > 0 || stream.status === "")
        add("zones", `[${changed.map(([, zone]) => zone).join()}]`);
      if (status !== stream.status) add("status", status);
      if (walkTest !== stream.walkTest) add("walk-test", walkTest);
      if (place !== stream.place) add("journal", "{}");
      Object.assign(stream, { status, walkTest, zones, place });
      stream.quietMs = text === "" ? stream.quietMs + POLL_INTERVAL_MS : 0;
      if (stream.quietMs >= KEEP_ALIVE_MS) {
        text = ": keep-alive\n\n";
        stream.quietMs = 0;
      }
      if (text !== "") this.#write(stream, text);
    }
  }

  /** Ends the stream instead if its token has expired or was revoked, or if the client is too slow. */
  #write({ request, response }: Stream, text: string): void {
    if (!this.#guards.isStillAuthorized(request) || response.writableLength > UNSENT_BYTES_MAX)
      response.end();
    else response.write(text);
  }
}

function placeText({ event, trip }: TimelineCursor): string {
  return `${event}.${trip}`;
}
