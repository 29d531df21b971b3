import { computed, signal } from "@preact/signals";
import type { HeadlineLevel } from "../domain/headline.ts";
import type { StatusView } from "../site/status-view.ts";
import type { WalkTestView, ZoneView } from "../site/zone-view.ts";
import { noteConnection } from "./api.ts";
import { daemonNowMs, later, pause, watchSilence } from "./clock.ts";
import { EventStreamParser, zonesAfter, type StreamMessage } from "./event-stream.ts";
import { sessionState, token } from "./session.ts";
import { REQUEST_TIMEOUT_MS, ApiError, send } from "./http.ts";
import { isNewPosition, noteFailure, readSite, readState } from "./site-requests.ts";

/**
 * - `starting`: no state yet, or none on purpose: the page is hidden, or waits for a password.
 * - `live`: the stream is open and has sent the state. `polling`: the daemon answers, but no stream comes, so the page polls.
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
export const tabLevel = signal<HeadlineLevel | "unknown" | "expired" | undefined>(undefined);

/** Whether the page shows a state that may be over. */
export const isStale = computed(
  () => lastResponseAtMs.value > 0 && (liveness.value === "starting" || liveness.value === "lost"),
);

/** Whether a signed-in user cannot change anything, because the daemon does not answer. */
export const isLost = computed(() => liveness.value === "lost" && sessionState.value === "in");

const POLL_EVERY_MS = 3_000;
/** One small request a minute: a phone in a pocket must not lose its battery to it. */
const HIDDEN_POLL_MS = 60_000;
/** A stream that says nothing for this time may be kept back by a proxy, and a plain request may have lost its connection. */
const QUIET_MS = 4_000;
/** Pauses before the next stream double, up to this. */
const RETRY_MS = 500;
const LOST_RETRY_MS = 5_000;
const POLLING_RETRY_MS = 60_000;

let lastId = "";
/** Streams in a row that have failed. */
let failures = 0;
/** Whether the open stream has sent the state. */
let hasState = false;
/** Messages of all streams. */
let messages = 0;
let isPolling = false;
/** Ends the pause before the next stream. */
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
  for (;;) {
    await wanted();
    try {
      await readStream();
    } catch (error) {
      noteFailure(error);
      if (!isWanted()) continue;
      void poll();
      const maxMs = liveness.value === "polling" ? POLLING_RETRY_MS : LOST_RETRY_MS;
      const ms = Math.min(RETRY_MS * 2 ** failures, maxMs);
      failures += 1;
      // A pause that was ended may resolve once more, without an effect.
      await new Promise<void>((resolve) => {
        endPause = resolve;
        noteChange = () => isWanted() || resolve();
        later(ms, resolve);
      });
    }
  }
}

function isWanted(): boolean {
  return !document.hidden && sessionState.value === "in";
}

function lacksStream(): boolean {
  return isWanted() && !hasState;
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
      else if (sessionState.value === "expired") tabLevel.value = "expired";
    };
    noteChange();
  });
}

function isHidden(): boolean {
  return document.hidden && sessionState.value === "in";
}

/** Asks for the state of a hidden page: its user sees its title and icon, and hears a new alarm. */
async function askHidden(): Promise<void> {
  try {
    const [now] = await readSite<StatusView>("status");
    if (!isHidden()) return;
    status.value = now;
    tabLevel.value = now.headline.level;
  } catch (error) {
    noteFailure(error);
    if (isHidden()) tabLevel.value = "unknown";
  }
}

/** The daemon has answered. */
function hear(how: "live" | "polling"): void {
  if (how === "live") failures = 0;
  lastResponseAtMs.value = daemonNowMs();
  tabLevel.value = status.value?.headline.level;
  if (liveness.value !== how) noteConnection();
  liveness.value = how;
}

/** The daemon does not answer; a page that polled tries a stream at once. */
function lose(): void {
  if (!lacksStream()) return;
  if (liveness.value === "polling") {
    failures = 0;
    endPause();
  }
  liveness.value = "lost";
  tabLevel.value = "unknown";
}

/** Reads one stream to its end. @throws ApiError if no stream is available, or it breaks or ends before it has sent the state */
async function readStream(): Promise<void> {
  const controller = new AbortController();
  const end = (): void => controller.abort();
  noteChange = () => isWanted() || end();
  // It sends the state at once, and then something every five seconds: silence for the time of three is the end of the connection.
  const silence = watchSilence(QUIET_MS, (ms) => {
    if (!hasState) void poll();
    if (ms <= REQUEST_TIMEOUT_MS) return;
    hasState = false;
    // Plain requests may be answered all the same.
    if (liveness.value !== "polling") lose();
    end();
  });
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
    for (;;) {
      const read = await reader?.read().catch(() => undefined);
      if (!read || (read.done && !hasState)) throw new ApiError(0, "");
      if (read.done) return;
      silence.heard();
      for (const message of parser.take(decoder.decode(read.value, { stream: true }))) {
        messages += 1;
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
    hasState = false;
    silence.stop();
    end();
  }
}

/** @param isFirst whether the stream has sent no zones before */
function take({ event, data }: StreamMessage, isFirst: boolean): void {
  if (event === "status") status.value = JSON.parse(data) as StatusView;
  else if (event === "walk-test") walkTest.value = JSON.parse(data) as WalkTestView | null;
  else if (event === "journal") journalVersion.value += 1;
  else zones.value = zonesAfter(zones.value, { event, data }, isFirst);
}

/** Polls everything that the stream would send, until there is one or the daemon does not answer. Once at a time. */
async function poll(): Promise<void> {
  if (isPolling) return;
  isPolling = true;
  const silence = watchSilence(QUIET_MS, (ms) => {
    // What broke off may be the connection.
    if (liveness.value === "live" || ms > REQUEST_TIMEOUT_MS) lose();
  });
  try {
    while (lacksStream()) {
      const before = messages;
      const [[all], [test], [state, headers]] = await readState();
      silence.heard();
      // What a stream has said meanwhile is newer.
      if (lacksStream() && messages === before) {
        // The status last: a screen begins with it, and must not say that there are no zones.
        zones.value = all;
        walkTest.value = test;
        status.value = state;
        if (isNewPosition(headers.get("Journal-Position"))) journalVersion.value += 1;
        hear("polling");
      }
      await pause(POLL_EVERY_MS);
    }
  } catch (error) {
    noteFailure(error);
    lose();
  } finally {
    silence.stop();
    isPolling = false;
  }
}
