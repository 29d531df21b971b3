import type { Config } from "./config/config.ts";
import type { LoadOptions } from "./config/load.ts";
import { DaemonFront, type FrontAddress } from "./daemon-front.ts";
import { failpointOf } from "./ops/failpoint.ts";
import { hostOf } from "./ops/host.ts";
import { Channel, Connection } from "./threads/channel.ts";
import { measuredUse } from "./ops/thread-use.ts";
import type { ThreadControl } from "./threads/thread-control.ts";
import { connectToMainThread, type ThreadData } from "./threads/main-thread-connection.ts";

// Entry point of the front thread.

export interface FrontThreadData extends ThreadData {
  readonly config: Config;
  readonly load: LoadOptions;
  readonly run: string;
  readonly failpoint: string | undefined;
  readonly httpDescriptor: number | undefined;
  readonly waitsForPort: boolean | undefined;
  readonly earlier: FrontAddress | undefined;
}

const components: Record<string, object> = {};
const records = new Connection();
const { data, clock, log, conditions, main } = connectToMainThread<FrontThreadData>(components, (port) =>
  records.use(new Channel(port, clock, {})),
);
// Its sections are replaced at a reload.
const config: Config = { ...data.config };
const host = hostOf(clock, () => "");
let endTimeWatch = (): void => {};
const front = new DaemonFront({
  ...data,
  config,
  clock,
  log,
  conditions,
  failpoint: failpointOf(data.failpoint, () => process.kill(process.pid, "SIGKILL")),
  threadFailpoint: data.failpoint,
  time: host.time,
  records: {
    records: records.remote("records"),
    accounts: records.remote("accounts"),
    events: records.remote("events"),
    objectives: records.remote("objectives"),
    sync: records.remote("sync"),
    fleet: records.remote("fleet"),
    enrolments: records.remote("enrolments"),
    plans: records.remote("plans"),
    silence: records.remote("silence"),
    walkTests: records.remote("walkTests"),
  },
  sensing: {
    site: main.remote("site"),
    zones: main.remote("zones"),
    tests: main.remote("tests"),
    loops: main.remote("loops"),
    outputs: main.remote("outputs"),
    metrics: main.remote("metrics"),
    control: main.remote("control"),
  },
});

/** What the main thread asks of the front. */
export interface FrontControl extends ThreadControl<FrontAddress> {
  /** Uses the sections of a changed configuration that take effect at once. */
  reloaded(sections: Partial<Config>): void;
  deviceToken(): Promise<string>;
}

const control: FrontControl = {
  start: () => {
    endTimeWatch = host.watchTime?.() ?? endTimeWatch;
    return front.start();
  },
  stop: () => {
    endTimeWatch();
    return front.stop();
  },
  ping: measuredUse(),
  deviceToken: () => front.deviceToken(),
  reloaded: (sections) => void Object.assign(config, sections),
};
components["thread"] = control;
