import type { IncomingHttpHeaders } from "node:http";
import type { Reply } from "../client/api-client.ts";
import type { CancelTimer, Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { SiteReport } from "../domain/site-report.ts";
import { isStorageError, type Database } from "../store/database.ts";
import { UpstreamCapabilities } from "../store/upstream-capabilities.ts";
import type { Link } from "./link.ts";
import { reasonOf } from "./reply-body.ts";
import type { LinkFault } from "./reply-classification.ts";
import type { UpstreamClient } from "./upstream-client.ts";

interface SiteReporterOptions {
  /** Sends over a connection of its own, which is kept between two reports. */
  readonly centre: UpstreamClient;
  readonly link: Link;
  readonly baseUrl: string;
  /** Interval in seconds; 0 for no reports. */
  readonly reportS: number;
  /** Reads the state of the site now; undefined while it is starting. */
  readonly collect: () => Promise<SiteReport | undefined>;
  readonly database: Database;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly conditions: Conditions;
  readonly site: { readonly ref: string };
}

/** Response header of a sign-in by which a dispatch centre tells that it takes reports. */
export const SITE_REPORTS_HEADER = "site-reports";
/**
 * Intervals without an answer after which a report is sent although the link is down: one is left out, and the second is sent. The
 * centre may call a site silent after two.
 */
const OVERDUE_INTERVALS = 1.5;
/**
 * The first report of a start is sent within this share of the interval: the centre may call a site silent after two intervals, and the
 * report before a restart may be one interval old.
 */
const FIRST_WITHIN = 0.25;
/**
 * Faults that do not end because a report is taken: the centre has asked for time, or it denies the records and not the reports. The
 * next request of the sync shows whether they have ended.
 */
const UNTIL_ASKED: ReadonlySet<LinkFault> = new Set(["busy", "forbidden", "not-the-interface"]);
/** Statuses of a report that may be taken later, or of a sign-in that has ended: the next one shows. */
const PASSING: ReadonlySet<number> = new Set([401, 404, 408, 425, 429]);
/** The interval varies by this share, so that the reports of many sites stay spread. */
const JITTER = 0.1;

/**
 * Time limit of a report, milliseconds. One without a response, as on a connection that a router has forgotten, is over before the
 * next one is due: otherwise all that are due within the time-out would be left out.
 * @param upstream `reportS` is 0 for no reports
 */
export function reportTimeoutMs({ timeoutS, reportS }: { timeoutS: number; reportS: number }): number {
  const untilNextMs = Math.round(reportS * 1000 * (1 - 2 * JITTER));
  return reportS === 0 ? timeoutS * 1000 : Math.min(timeoutS * 1000, untilNextMs);
}

/**
 * Shows the dispatch centre that this site is alive. Only a centre that has offered it gets reports. There is no queue: a report
 * that does not arrive is replaced by the next one.
 */
export class SiteReporter {
  readonly #options: SiteReporterOptions;
  readonly #facts: UpstreamCapabilities;
  #cancel: CancelTimer = () => {};
  #running: Promise<void> | undefined;
  #isStopped = false;
  #rejection = "";
  /** Address of the dispatch centre that takes reports, as last known. */
  #offered: string | null = null;
  /** Monotonic time of the last report that was taken, or of the start. */
  #takenAtMs: number;

  constructor(options: SiteReporterOptions) {
    this.#options = options;
    this.#takenAtMs = options.clock.monotonicMs();
    this.#facts = new UpstreamCapabilities(options.database);
  }

  /** The first report is sent soon, at a random time: after a power cut many sites start at once. */
  start(): void {
    if (this.#options.reportS > 0) this.#armFirst();
  }

  /** Resolves when no report is in flight. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#running;
  }

  /** Learns from the headers of a sign-in whether the dispatch centre takes reports. */
  signedIn(headers: IncomingHttpHeaders): void {
    const isOffered = headers[SITE_REPORTS_HEADER] !== undefined;
    if (!isOffered) this.#options.conditions.clear("upstream-rejects-reports");
    this.#note(isOffered ? this.#options.baseUrl : null);
  }

  #armFirst(): void {
    const { reportS, random } = this.#options;
    this.#arm(reportS * 1000 * FIRST_WITHIN * random());
  }

  #arm(delayMs: number): void {
    if (this.#isStopped) return;
    this.#cancel = this.#options.clock.after(delayMs, () => this.#due());
  }

  #due(): void {
    const { reportS, random, baseUrl } = this.#options;
    this.#arm(reportS * 1000 * (1 - JITTER * random()));
    if (this.#running || this.#isPaused || this.#offeredBy() !== baseUrl) return;
    this.#running = this.#send()
      .catch((error: unknown) => this.#options.log.warn("site-report-failed", { reason: messageOf(error) }))
      .finally(() => (this.#running = undefined));
  }

  /**
   * A link that is down is probed by others; the report that follows is as good as any. But the next attempt may be an hour away at
   * a centre that asks for it, and a quarter of one after a single 403: the centre would then call this site silent.
   */
  get #isPaused(): boolean {
    const { link, clock, reportS } = this.#options;
    const isOverdue = clock.monotonicMs() - this.#takenAtMs > OVERDUE_INTERVALS * reportS * 1000;
    // A rejected sign-in would only be repeated, which locks the account.
    const isTried = isOverdue && link.fault !== "signed-out";
    return link.state.waitMs > 0 && !isTried;
  }

  async #send(): Promise<void> {
    const { collect, centre } = this.#options;
    const report = await collect();
    if (report && !this.#isStopped) this.#answered(await centre.report(JSON.stringify(report)));
  }

  #answered({ reply, isSignIn }: { readonly reply: Reply; readonly isSignIn: boolean }): void {
    const { link, clock, conditions } = this.#options;
    if (reply.kind === "not-sent")
      return link.note({ link: "unreachable", code: reply.code, reason: reply.error });
    // Without an answer the report alone may be at fault: the next request of the sync shows.
    if (reply.kind === "lost") return;
    const { status } = reply;
    if (status === 204) {
      this.#rejection = "";
      conditions.clear("upstream-rejects-reports");
      this.#takenAtMs = clock.monotonicMs();
      if (link.fault === undefined || !UNTIL_ASKED.has(link.fault))
        link.note({ link: "ok", code: "204", reason: "" });
      return;
    }
    if (!isSignIn) this.#rejected(reply);
  }

  /** A centre that rejects each report, as after a change of `site.ref`, will call this site silent while it works. */
  #rejected(reply: { readonly status: number; readonly body: string }): void {
    const { log, conditions, baseUrl, site } = this.#options;
    const { status, body } = reply;
    // A 404 does not end the reports: a gateway sends it too while it reloads. The next sign-in shows whether they are wanted.
    if (status < 400 || status >= 500 || PASSING.has(status)) return;
    conditions.raise("upstream-rejects-reports", {
      centre: baseUrl,
      siteRef: site.ref,
      answer: reasonOf(reply),
    });
    if (this.#rejection === body) return;
    this.#rejection = body;
    log.warn("site-report-rejected", { status, answer: body.slice(0, 300) });
  }

  /** Address of the dispatch centre that takes reports; null for none. While it cannot be read, it is the last one that is known. */
  #offeredBy(): string | null {
    try {
      this.#offered = this.#facts.reportsTo;
    } catch (error) {
      if (!isStorageError(error)) throw error;
    }
    return this.#offered;
  }

  #note(baseUrl: string | null): void {
    try {
      this.#offered = baseUrl;
      this.#facts.noteReportsTo(baseUrl);
    } catch (error) {
      // On a full disk the next sign-in tries again.
      if (!isStorageError(error)) throw error;
    }
  }
}
