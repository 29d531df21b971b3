import type { Config } from "./config/config.ts";
import { DaemonRecords, type NewAdministrator } from "./daemon-records.ts";
import type { RecordsObserver } from "./daemon-threads.ts";
import { failpointOf } from "./ops/failpoint.ts";
import { newKey } from "./ops/secrets.ts";
import { Channel, Connection } from "./threads/channel.ts";
import { hostOf } from "./ops/host.ts";
import { measuredUse } from "./ops/thread-use.ts";
import type { ThreadControl } from "./threads/thread-control.ts";
import { send, connectToMainThread, type ThreadData } from "./threads/main-thread-connection.ts";

// Entry point of the records thread.

export interface RecordsThreadData extends ThreadData {
  readonly config: Config;
  readonly failpoint: string | undefined;
  readonly bootId: string | undefined;
}

/** Interval between two looks at the state of the link; users see a change within a second. */
const LINK_INTERVAL_MS = 500;
/** Minimum interval between two reports of changes: sensing checks open contacts at most every 250 ms. */
const CHANGES_INTERVAL_MS = 200;

const components: Record<string, object> = {};
/** The front calls over it, and is not called. */
const front = new Connection();
const { data, clock, log, conditions, main } = connectToMainThread<RecordsThreadData>(components, (port) => {
  front.use(new Channel(port, clock, components));
});
const observer = main.remote<RecordsObserver>("observer");
let records: DaemonRecords | undefined;
let lastLink = "";
let cancelLink = (): void => {};
const host = hostOf(clock, () => "", "", data.bootId);
let endTimeWatch = (): void => {};

let isQuiet = false;
let hasChanged = false;

/** Reports a change at once, and those of the next moments together: a message for each would wake sensing for nothing. */
function reportChange(): void {
  hasChanged = true;
  if (isQuiet) return;
  isQuiet = true;
  hasChanged = false;
  send(observer.changed());
  clock.after(CHANGES_INTERVAL_MS, () => {
    isQuiet = false;
    if (hasChanged) reportChange();
  });
}

function reportLink(): void {
  cancelLink = clock.after(LINK_INTERVAL_MS, reportLink);
  const link = records?.components.sync.link();
  const text = JSON.stringify(link);
  if (!link || text === lastLink) return;
  lastLink = text;
  send(observer.link(link));
}

const control: ThreadControl<NewAdministrator> = {
  async start() {
    const { config, failpoint } = data;
    // Only the transmitter asks whether the clock is set.
    if (config.upstreams.length > 0) endTimeWatch = host.watchTime?.() ?? endTimeWatch;
    records = new DaemonRecords({
      config,
      clock,
      time: host.time,
      bootId: host.bootId,
      log,
      conditions,
      failpoint: failpointOf(failpoint, () => process.kill(process.pid, "SIGKILL")),
      random: Math.random,
      newKey: () => newKey(clock.wallMs()),
      onChange: reportChange,
      siteReportFacts: () => observer.siteReportFacts(),
    });
    Object.assign(components, records.components);
    const announced = await records.start();
    reportLink();
    return announced;
  },
  async stop() {
    cancelLink();
    endTimeWatch();
    await records?.stop();
  },
  ping: measuredUse(),
};
components["thread"] = control;
