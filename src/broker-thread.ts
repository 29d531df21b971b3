import type { NewEvent } from "./domain/event.ts";
import type { BrokerAccount } from "./domain/mqtt-broker.ts";
import type { BrokerUse } from "./inputs/broker.ts";
import { BuiltInBroker } from "./inputs/built-in-broker.ts";
import type { MqttMessage } from "./inputs/mqtt-zones.ts";
import { BufferCollection } from "./ops/buffer-collection.ts";
import { failpointOf } from "./ops/failpoint.ts";
import { CallWindow } from "./threads/call-window.ts";
import { measuredUse } from "./ops/thread-use.ts";
import type { ThreadControl } from "./threads/thread-control.ts";
import { send, connectToMainThread, type ThreadData } from "./threads/main-thread-connection.ts";

// Entry point of the thread of the built-in broker.

export interface BrokerThreadData extends ThreadData {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly accounts: readonly BrokerAccount[];
  readonly failpoint: string | undefined;
}

export interface BrokerStarted {
  /** Undefined if it does not listen yet. */
  readonly port: number | undefined;
}

/** What the broker calls in the sensing thread. */
export interface BrokerObserver {
  /** As in `BrokerZones`. */
  deliver(message: MqttMessage): Promise<void>;
  connected(session: string, resumes: boolean): void;
  active(session: string): void;
  denied(topic: string, reason: string, sizeBytes: number): void;
  record(event: NewEvent): void;
  used(use: BrokerUse): void;
}

/** Interval between two looks at the limits and the memory, for the metrics. */
const USE_INTERVAL_MS = 1_000;

const components: Record<string, object> = {};
const { data, clock, log, conditions, main } = connectToMainThread<BrokerThreadData>(components, () => {});
const observer = main.remote<BrokerObserver>("observer");
const failpoint = failpointOf(data.failpoint, () => process.kill(process.pid, "SIGKILL"));
const calls = new CallWindow();
const buffers = new BufferCollection({ hasOldBuffers: true });
/** Clients whose activity is being reported: further activity until the answer is at the same time. */
const active = new Set<string>();
const broker = new BuiltInBroker({
  ...data,
  clock,
  log,
  conditions,
  zones: {
    async deliver(message) {
      failpoint("broker-message");
      const { payload, topic, delivery } = message;
      const bytes = payload.byteLength + topic.length + (delivery?.session.length ?? 0);
      await calls.run(bytes, () => observer.deliver(message));
      failpoint("broker-committed");
    },
    deduplication: {
      connected: (session, resumes) =>
        send(calls.run(session.length, () => observer.connected(session, resumes))),
      onActivity(session) {
        if (active.has(session)) return;
        active.add(session);
        const reported = calls.run(session.length, () => observer.active(session));
        send(reported.finally(() => active.delete(session)));
      },
    },
    counts: {
      note: (topic, reason, sizeBytes) =>
        calls.run(topic.length, () => observer.denied(topic, reason, sizeBytes)),
    },
  },
  record: (event) => send(observer.record(event)),
  onRead: (bytes) => buffers.read(bytes),
});
let lastUse = "";
let cancelUse = (): void => {};

function reportUse(): void {
  cancelUse = clock.after(USE_INTERVAL_MS, reportUse);
  const { use } = broker;
  const text = JSON.stringify(use);
  if (text === lastUse) return;
  lastUse = text;
  send(observer.used(use));
}

const control: ThreadControl<BrokerStarted> = {
  async start() {
    failpoint("broker-start");
    await broker.start();
    reportUse();
    return { port: broker.port };
  },
  async stop() {
    cancelUse();
    await broker.stop();
  },
  ping: measuredUse(),
};
components["thread"] = control;
components["broker"] = broker;
