import type { Request, Response, Router } from "express";
import type { CancelTimer, Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import { principalOf, type AuthGuards } from "../auth-guards.ts";
import { addResource } from "../resource.ts";
import type { TimelineCursor } from "./journal-port.ts";
import type { SitePorts } from "./site-ports.ts";
import type { ZoneView } from "./zone-port.ts";

/** A person has a phone and a laptop, each with a page or two in front. */
const STREAMS_PER_ACCOUNT_MAX = 4;
const STREAMS_MAX = 16;
/** Two looks a second: a badge that changes within half of one is live to the eye, and costs a Pi nothing. */
const LOOK_MS = 500;
/** A third of the time after which a silent connection is closed. */
const KEEP_ALIVE_MS = 15_000;
/** A client that has not taken so much is not looking any more. */
const UNSENT_BYTES_MAX = 1024 * 1024;

interface Stream {
  readonly request: Request;
  readonly response: Response;
  readonly accountId: number;
  /** What the client has been told last, to tell it only what is different. */
  status: string;
  walkTest: string;
  zones: ReadonlyMap<string, string>;
  place: string;
  quietMs: number;
}

/**
 * GET /site/events: what changes at this site, as server-sent events (HTML standard, 9.2). `status` and
 * `walk-test` carry /site/status and /site/walk-test, `zones` those of /site/zones that are different, and `journal` says that the event log has grown; its id
 * is the place in the log, and with `Last-Event-ID` a client learns of what it has missed. The tables stay the truth:
 * the stream looks at them twice a second while somebody listens, so no part of the daemon has to remember to tell it.
 */
export class SiteEvents {
  readonly #clock: Clock;
  readonly #ports: SitePorts;
  readonly #isStillIn: (request: Request) => boolean;
  readonly #streams = new Set<Stream>();
  #cancelLook: CancelTimer = () => {};
  #isEnding = false;

  /** @param options `isStillIn` says whether somebody who came in with a request would still be let in */
  constructor(options: { clock: Clock; ports: SitePorts; isStillIn: (request: Request) => boolean }) {
    this.#clock = options.clock;
    this.#ports = options.ports;
    this.#isStillIn = options.isStillIn;
  }

  addTo(router: Router, gates: AuthGuards): void {
    addResource(router, "/site/events", {
      methods: { get: (request, response) => this.#open(request, response) },
      gate: gates.signedIn,
    });
  }

  /** Ends every stream and takes no new one: the server cannot close while one is open. */
  stop(): void {
    this.#isEnding = true;
    this.#cancelLook();
    for (const { response } of this.#streams) response.end();
  }

  #open(request: Request, response: Response): void {
    if (request.method === "HEAD") {
      response.type("text/event-stream").end();
      return;
    }
    const { accountId } = principalOf(request);
    this.#assertRoom(accountId);
    response.status(200).set({
      "Content-Type": "text/event-stream; charset=utf-8",
      // A proxy that packs or changes the stream would keep events back.
      "Cache-Control": "no-store, no-transform",
      "X-Accel-Buffering": "no",
    });
    response.flushHeaders();
    const place = String(request.headers["last-event-id"] ?? placeText(this.#ports.journal.place()));
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
      if (this.#streams.size === 0) this.#cancelLook();
    });
    this.#tell([stream]);
    if (this.#streams.size === 1) this.#schedulePoll();
  }

  #assertRoom(accountId: number): void {
    if (this.#isEnding) throw new AppError("unavailable", "the daemon is stopping");
    const own = [...this.#streams].filter((stream) => stream.accountId === accountId).length;
    if (own >= STREAMS_PER_ACCOUNT_MAX || this.#streams.size >= STREAMS_MAX)
      throw new AppError("too-many-requests", "too many live views are open; close one, or ask again later", {
        retryAfterS: 30,
      });
  }

  #schedulePoll(): void {
    this.#cancelLook();
    this.#cancelLook = this.#clock.after(LOOK_MS, () => {
      this.#tell([...this.#streams]);
      if (this.#streams.size > 0 && !this.#isEnding) this.#schedulePoll();
    });
  }

  /** Looks once and tells each stream what is new to it. */
  #tell(streams: readonly Stream[]): void {
    const status = JSON.stringify(this.#ports.status());
    const walkTest = JSON.stringify(this.#ports.tests.walk());
    const zones = new Map(
      this.#ports.zones.list().map((zone) => [zone.id, JSON.stringify(zone satisfies ZoneView)]),
    );
    const place = placeText(this.#ports.journal.place());
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
      stream.quietMs = text === "" ? stream.quietMs + LOOK_MS : 0;
      if (stream.quietMs >= KEEP_ALIVE_MS) {
        text = ": still here\n\n";
        stream.quietMs = 0;
      }
      if (text !== "") this.#say(stream, text);
    }
  }

  /** Nothing leaves on a token that has ended meanwhile: its hour is over, or its account has changed. */
  #say({ request, response }: Stream, text: string): void {
    if (!this.#isStillIn(request) || response.writableLength > UNSENT_BYTES_MAX) response.end();
    else response.write(text);
  }
}

function placeText({ event, trip }: TimelineCursor): string {
  return `${event}.${trip}`;
}
