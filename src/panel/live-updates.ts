import { computed, signal } from "@preact/signals";
import type { HeadlineLevel } from "../domain/headline.ts";
import type { StatusView } from "../site/status-view.ts";
import type { WalkTestView, ZoneView } from "../site/zone-view.ts";
import { bodyOf, noteConnection } from "./api.ts";
import { daemonNowMs, later, watchSilence } from "./clock.ts";
import { EventStreamParser, type StreamMessage } from "./event-stream.ts";
import { askPlainly, isAnswering, readSite } from "./reachability.ts";
import { expire, sessionState, token } from "./session.ts";
import { REQUEST_TIMEOUT_MS, ApiError, send } from "./http.ts";

/**
 * - `starting`: no state yet, or none on purpose: the page is hidden, or waits for a password.
 * - `live`: the stream is open and has sent the state. `polling`: the daemon has no free stream, so the page polls.
 * - `lost`: no response from the daemon; the data shown is old.
 */
export type Liveness = "starting" | "live" | "polling" | "lost";

export const liveness = signal<Liveness>("starting");
export const status = signal<StatusView | undefined>(undefined);
export const zones = signal<readonly ZoneView[]>([]);
/** The running walk test, or the last one; null before the first. */
export const walkTest = signal<WalkTestView | null>(null);
/** Increases with every event log entry. */
export const journalVersion = signal(0);

/** When the daemon was last heard, by its clock in milliseconds since 1970; 0 before. */
export const lastResponseAtMs = signal(0);

/** What the title and the icon of the tab say; undefined before anything is known. A hidden page asks every minute. */
export const tabLevel = signal<HeadlineLevel | "unknown" | undefined>(undefined);

/** Whether the page shows a state that may be over. */
export const isStale = computed(
  () => lastResponseAtMs.value > 0 && (liveness.value === "starting" || liveness.value === "lost"),
);

/** Whether a signed-in user cannot change anything, because the daemon does not answer. */
export const isLost = computed(
  () => liveness.value === "lost" && !isAnswering.value && sessionState.value === "in",
);

const POLL_EVERY_MS = 3_000;
/** One small request a minute: a phone in a pocket must not lose its battery to it. */
const HIDDEN_POLL_MS = 60_000;
/** Polls between two attempts to open a stream. */
const POLLS = 10;
const RETRY_MS = [500, 1_000, 2_000, 5_000] as const;

let lastId = "";
/** Attempts since the daemon was last heard. */
let failures = 0;
/** Ends the pause before the next attempt. */
let endPause = (): void => {};
/** Called when the page is hidden or shown, and when its user signs in or out. */
let noteChange = (): void => {};

/** Tries to reach the daemon at once. The page stays: reloading it would lose the last state that is known. */
export function tryNow(): void {
  endPause();
}

/**
 * Keeps the page up to date; never returns. The stream is closed while the page is hidden, because browsers open only
 * six connections to one host and further pages would wait indefinitely.
 */
export async function runLiveUpdates(): Promise<void> {
  document.addEventListener("visibilitychange", () => noteChange());
  sessionState.subscribe(() => noteChange());
  let isPolled = false;
  for (;;) {
    await wanted();
    try {
      await (isPolled ? pollForAWhile() : readStream());
      isPolled = false;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const isFull: boolean = error.status === 429 && !isPolled;
      isPolled = isFull;
      if (error.status === 401) expire(error);
      else if (!isFull && isWanted()) {
        isAnswering.value &&= liveness.value === "lost";
        liveness.value = "lost";
        tabLevel.value = "unknown";
        void askPlainly();
        await pauseOrTry(RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] ?? 0);
        failures += 1;
      }
    }
  }
}

function isWanted(): boolean {
  return !document.hidden && sessionState.value === "in";
}

/** Resolves when the page is visible and a user is signed in; until then what it shows may be over. */
function wanted(): Promise<void> {
  return new Promise((resolve) => {
    let stop = (): void => {};
    const watch = (): void => {
      stop = later(HIDDEN_POLL_MS, () => void askHidden().then(() => isHidden() && watch()));
    };
    noteChange = () => {
      stop();
      if (isWanted()) return resolve();
      liveness.value = "starting";
      if (isHidden()) watch();
      else if (sessionState.value === "expired") tabLevel.value = "unknown";
    };
    noteChange();
  });
}

function isHidden(): boolean {
  return document.hidden && sessionState.value === "in";
}

/** Asks for the state of a hidden page: its title and icon are all that its user sees. */
async function askHidden(): Promise<void> {
  try {
    const { headline } = await readSite<StatusView>("status");
    if (isHidden()) tabLevel.value = headline.level;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 401) expire(error);
    else if (isHidden()) tabLevel.value = "unknown";
  }
}

function pauseOrTry(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const stop = later(ms, resolve);
    endPause = () => {
      stop();
      resolve();
    };
  });
}

/** The daemon has answered. */
function hear(how: "live" | "polling"): void {
  failures = 0;
  lastResponseAtMs.value = daemonNowMs();
  tabLevel.value = status.value?.headline.level;
  if (liveness.value !== how) noteConnection();
  liveness.value = how;
}

/** Reads one stream to its end. @throws ApiError if no stream is available, or it breaks or ends before it has sent the state */
async function readStream(): Promise<void> {
  const controller = new AbortController();
  const end = (): void => controller.abort();
  noteChange = () => {
    if (!isWanted()) end();
  };
  // It sends the state at once, and then something every five seconds: silence for the time of three is the end of the connection.
  const silence = watchSilence(REQUEST_TIMEOUT_MS, end);
  try {
    const headers = lastId === "" ? {} : { "Last-Event-ID": lastId };
    const response = await send("/site/events", token(), { headers, signal: controller.signal });
    // A page of a proxy, or of a network that asks for a sign-in of its own.
    const isStream = response.headers.get("Content-Type")?.startsWith("text/event-stream");
    if (isStream !== true) throw new ApiError(0, "");
    const parser = new EventStreamParser();
    const reader = response.body?.getReader();
    const decoder = new TextDecoder();
    let hasZones = false;
    let hasState = false;
    for (;;) {
      const read = await reader?.read().catch(() => undefined);
      if (!read || (read.done && !hasState)) throw new ApiError(0, "");
      if (read.done) return;
      silence.heard();
      for (const message of parser.take(decoder.decode(read.value, { stream: true }))) {
        take(message, !hasZones);
        hasZones ||= message.event === "zones";
        // The last part of the state.
        hasState ||= message.event === "walk-test";
      }
      lastId = parser.lastId;
      // Until then the page shows what was before.
      if (hasState) hear("live");
    }
  } finally {
    silence.stop();
    end();
  }
}

function take({ event, data }: StreamMessage, isComplete: boolean): void {
  if (event === "status") status.value = JSON.parse(data) as StatusView;
  else if (event === "walk-test") walkTest.value = JSON.parse(data) as WalkTestView | null;
  else if (event === "journal") journalVersion.value += 1;
  else if (event === "zones") {
    const updated = JSON.parse(data) as ZoneView[];
    if (isComplete) zones.value = updated;
    else {
      const all = new Map([...zones.value, ...updated].map((zone) => [zone.id, zone]));
      zones.value = [...all.values()];
    }
  } else if (event === "zone-list") {
    const known = new Map(zones.value.map((zone) => [zone.id, zone]));
    zones.value = (JSON.parse(data) as string[]).flatMap((id) => known.get(id) ?? []);
  }
}

/** Polls everything that the stream would send. @throws ApiError */
async function pollForAWhile(): Promise<void> {
  const grey = (): void => {
    if (liveness.value === "polling") liveness.value = "starting";
  };
  const silence = watchSilence(REQUEST_TIMEOUT_MS, grey);
  noteChange = () => {
    if (isWanted()) return;
    grey();
    endPause();
  };
  try {
    for (let round = 0; round < POLLS; round += 1) {
      // The status last: a screen begins with it, and must not say that there are no zones.
      zones.value = await readSite<ZoneView[]>("zones");
      walkTest.value = await readSite<WalkTestView | null>("walk-test");
      const response = await send("/site/status", token());
      status.value = await bodyOf<StatusView>(response);
      followPosition(response.headers.get("Journal-Position"));
      if (!isWanted()) return;
      silence.heard();
      hear("polling");
      await pauseOrTry(POLL_EVERY_MS);
      if (!isWanted()) return;
    }
  } finally {
    silence.stop();
  }
}

/** Position in the event log and the trips at the last poll; null before the first, and while the daemon cannot read it. */
let polledPosition: string | null = null;

/** As the event `journal` of the stream: what was read stays until there is something new. */
function followPosition(position: string | null): void {
  if (position === null || position !== polledPosition) journalVersion.value += 1;
  polledPosition = position;
}
