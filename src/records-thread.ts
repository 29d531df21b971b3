import type { Config } from "./config/config.ts";
import { DaemonRecords, type NewAdministrator } from "./daemon-records.ts";
import type { RecordsObserver } from "./daemon-threads.ts";
import { failpointOf } from "./ops/failpoint.ts";
import { newKey } from "./ops/secrets.ts";
import { Channel, Connection } from "./threads/channel.ts";
import type { ThreadControl } from "./threads/supervised-thread.ts";
import { send, threadSide, type ThreadData } from "./threads/thread-side.ts";

// Entry point of the records thread.

export interface RecordsThreadData extends ThreadData {
  readonly config: Config;
  readonly failpoint: string | undefined;
}

/** Interval between two looks at the state of the link; users see a change within a second. */
const LINK_INTERVAL_MS = 500;

const components: Record<string, object> = {};
/** The front calls over it, and is not called. */
const front = new Connection();
const { data, clock, log, conditions, main } = threadSide<RecordsThreadData>(components, (port) => {
  front.use(new Channel(port, clock, components));
});
const observer = main.remote<RecordsObserver>("observer");
let records: DaemonRecords | undefined;
let lastLink = "";
let cancelLink = (): void => {};

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
    records = new DaemonRecords({
      config,
      clock,
      log,
      conditions,
      failpoint: failpointOf(failpoint, () => process.kill(process.pid, "SIGKILL")),
      random: Math.random,
      newKey: () => newKey(clock.wallMs()),
      onChange: () => send(observer.changed()),
    });
    Object.assign(components, records.components);
    const announced = await records.start();
    reportLink();
    return announced;
  },
  async stop() {
    cancelLink();
    await records?.stop();
  },
  ping() {},
};
components["thread"] = control;
