import { ApiClient } from "../client/api-client.ts";
import { TokenCache, type TokenStore } from "../client/token-cache.ts";
import type { Clock } from "../domain/clock.ts";
import { messageOf } from "../domain/errors.ts";
import type { Priority } from "../generated/types.ts";
import type { Log } from "../domain/log.ts";
import type { MarkerField } from "../domain/marker.ts";
import type { SiteReport } from "../domain/site-report.ts";
import type { Locale } from "../domain/trip-text.ts";
import { isStorageError } from "../store/database.ts";
import { UpstreamCapabilities } from "../store/upstream-capabilities.ts";
import { storeCapabilities } from "./sign-in-capabilities.ts";
import type { SyncPorts } from "./context.ts";
import { UpstreamClient } from "./upstream-client.ts";
import { CentreTrials } from "./centre-trials.ts";
import { Heartbeat } from "./heartbeat.ts";
import { Link, type LinkState } from "./link.ts";
import { ListLimits } from "./list-limits.ts";
import { ObjectiveMirror, type ListOutcome } from "./objectives/objective-mirror.ts";
import { IN_FLIGHT_MAX, Push } from "./push.ts";
import { reportTimeoutMs, SiteReporter } from "./site-reporter.ts";
import { NextRun, nextRunMs, shareOf } from "./schedule.ts";
import { SyncScheduler } from "./scheduler.ts";

export interface SyncOptions extends SyncPorts {
  readonly upstream: {
    readonly baseUrl: string;
    readonly email: string;
    readonly password: string;
    /** node-cron expression. */
    readonly schedule: string;
    /** node-cron expression of the objective mirror, or `off`. */
    readonly objectives: string;
    readonly marker: MarkerField;
    readonly timeoutS: number;
    /** Interval of the reports of this site in seconds; 0 or undefined for none. */
    readonly reportS?: number;
    /** PEM of the only certificate authority trusted for the dispatch centre; undefined for the public ones. */
    readonly ca: string | undefined;
  };
  /** Of the machine, from the kernel. */
  readonly bootId?: string;
  readonly site: { readonly ref: string; readonly timezone: string; readonly locale: Locale };
  /** Called for a damaged page of the database. */
  readonly onDamage?: (error: unknown) => void;
  /** Called when an objective list of the centre was stored. */
  readonly onListed?: () => void;
  /** Creates a UUID of version 7. */
  readonly newKey: () => string;
  /** Reads the state of the site for a report; without it none is sent. */
  readonly report?: () => Promise<SiteReport | undefined>;
  /** Where the token of an account is kept across restarts; without it each start signs in. */
  readonly tokenStore?: (account: {
    readonly centre: string;
    readonly email: string;
    readonly password: string;
  }) => TokenStore;
}

/** Maximum time for requests in flight when the daemon stops. */
const STOP_GRACE_MS = 3_000;

/**
 * How long an idle connection is kept. Node, Apache and others close theirs after 5 s, counted up to a round trip
 * earlier.
 */
const KEEP_IDLE_MS = 4_000;
/** Kept longer than the longest interval of reports; the centre ends it earlier if it wants to. */
const REPORT_IDLE_MS = 3_700_000;
/** The maximum in flight, plus reads of the mirror, the comparison and the heartbeat. */
const CONNECTIONS_MAX = { urgent: IN_FLIGHT_MAX.urgent + 2, bulk: IN_FLIGHT_MAX.bulk + 2 };

/** The sync with a dispatch centre, started and stopped as one. */
export class Sync {
  readonly #clock: Clock;
  readonly #clients: readonly ApiClient[];
  readonly #log: Log;
  readonly #link: Link;
  readonly #limits: ListLimits;
  readonly #push: Push;
  readonly #scheduler: SyncScheduler;
  readonly #reporter: SiteReporter;
  /** Tests of the dispatch centre with test records. */
  readonly trials: CentreTrials;
  /** The mirror of the centre's objectives. */
  readonly mirror: ObjectiveMirror;

  constructor(options: SyncOptions) {
    const { upstream, site, clock } = options;
    const { baseUrl, email, password, schedule, objectives, marker, reportS = 0 } = upstream;
    this.#clock = clock;
    this.#log = options.log;
    const facts = new UpstreamCapabilities(options.database);
    const onLifted = (): void => this.#push.audit.makeDue();
    const limits = (this.#limits = new ListLimits({ ...options, facts, baseUrl, onLifted }));
    const { client, urgentClient, reportClient } = clientsOf(upstream, limits);
    this.#clients = [client, urgentClient, reportClient];
    this.#link = new Link({ ...options, baseUrl });
    // An alarm may wait for the sign-in, so the sign-in uses the urgent connections.
    const tokens = new TokenCache({
      client: urgentClient,
      email,
      password,
      clock,
      store: options.tokenStore?.({ centre: baseUrl, email, password }),
      onSignIn: (headers) => {
        this.#reporter.signedIn(headers);
        storeCapabilities(facts, headers);
      },
    });
    const centre = new UpstreamClient({ client, urgentClient, tokens, clock, limits });
    this.#reporter = new SiteReporter({
      ...options,
      centre: new UpstreamClient({ client: reportClient, tokens, clock, limits }),
      link: this.#link,
      baseUrl,
      reportS: options.report ? reportS : 0,
      collect: async () => options.report?.(),
    });
    this.trials = new CentreTrials({ ...options, centre, baseUrl, siteRef: site.ref });
    this.#push = new Push({
      ...options,
      centre,
      link: this.#link,
      marker,
      siteRef: site.ref,
      baseUrl,
      timezone: site.timezone,
      locale: site.locale,
    });
    const timetable = new NextRun(clock, () => nextRunMs(objectives, site.timezone, clock.wallMs()));
    this.mirror = new ObjectiveMirror({
      ...options,
      baseUrl,
      centre,
      link: this.#link,
      timetable: objectives === "off" ? undefined : timetable,
      untilIdle: () => this.#push.untilIdle(),
      onPulled: () => this.#objectivesPulled(),
    });
    this.#scheduler = new SyncScheduler({
      ...options,
      push: this.#push,
      mirror: this.mirror,
      heartbeat: new Heartbeat({ ...options, centre: centre.urgent, link: this.#link }),
      link: this.#link,
      nextRunMs: () => nextRunMs(schedule, site.timezone, clock.wallMs(), shareOf(site.ref)),
    });
  }

  start(): void {
    this.#limits.start();
    this.#scheduler.start();
    this.#reporter.start();
  }

  /** Finishes the requests in flight. One that hangs is aborted, and resolved at the next start. */
  async stop(): Promise<void> {
    const close = (): void => this.#clients.forEach((client) => client.close());
    const cancel = this.#clock.after(STOP_GRACE_MS, close);
    await Promise.all([this.#scheduler.stop(), this.#reporter.stop()]);
    cancel();
    close();
    this.#limits.stop();
  }

  /** Called when a record has changed. An alarm is sent at once, even while the link is down. */
  changed({ priority }: { priority: Priority }): void {
    this.#scheduler.requestRun({ urgent: priority === "high" });
  }

  /**
   * Retries one record now.
   * @throws AppError `not-found`
   */
  retry(interventionId: number): void {
    this.#push.operator.retry(interventionId);
    this.#scheduler.requestRun({ urgent: true });
  }

  /**
   * Stops sending one record.
   * @throws AppError `not-found`, `conflict`
   */
  drop(interventionId: number): void {
    this.#push.operator.drop(interventionId);
    this.#scheduler.requestRun({ urgent: false });
  }

  /**
   * Makes one record at the dispatch centre equal to the local one.
   * @throws AppError `not-found`, `conflict`
   */
  async reassert(interventionId: number): Promise<void> {
    await this.#push.operator.reassert(interventionId);
    this.#scheduler.requestRun({ urgent: true });
  }

  /** Pushes everything now, including postponed records, and resolves when done. */
  now(): Promise<void> {
    return this.#scheduler.now();
  }

  /**
   * Reads the objective lists now, even while the link is down.
   * @param options isLossAccepted: accepts a list even if most of its objectives are missing
   */
  pullObjectives(options: { readonly isLossAccepted: boolean }): Promise<readonly ListOutcome[]> {
    this.#link.probeNow();
    return this.mirror.pull(options);
  }

  #objectivesPulled(): void {
    try {
      this.#push.retryBlocked();
    } catch (error) {
      // They are retried automatically, only later.
      if (!isStorageError(error)) throw error;
      this.#log.warn("blocked-records-retry-failed", { reason: messageOf(error) });
    }
    this.#scheduler.requestRun({ urgent: false });
  }

  get link(): LinkState {
    return this.#link.state;
  }
}

/** The connections to the dispatch centre. */
function clientsOf(
  { baseUrl, timeoutS, ca, reportS = 0 }: SyncOptions["upstream"],
  limits: ListLimits,
): Readonly<Record<"client" | "urgentClient" | "reportClient", ApiClient>> {
  const connections = { baseUrl, timeoutMs: timeoutS * 1000, ca, keepIdleMs: KEEP_IDLE_MS, limits };
  return {
    client: new ApiClient({ ...connections, connectionsMax: CONNECTIONS_MAX.bulk }),
    urgentClient: new ApiClient({ ...connections, connectionsMax: CONNECTIONS_MAX.urgent, isUrgent: true }),
    reportClient: new ApiClient({
      ...connections,
      timeoutMs: reportTimeoutMs({ timeoutS, reportS }),
      connectionsMax: 1,
      keepIdleMs: REPORT_IDLE_MS,
    }),
  };
}
