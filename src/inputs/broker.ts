import type { MqttMessage } from "./mqtt-zones.ts";

/** The built-in broker, in the thread of its caller or in another. */
export interface Broker {
  /** Starts listening; a port in use raises a condition and is retried. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Reads the retained messages of topics that are new; all other messages arrive without a subscription. */
  listen(topics: readonly string[]): Promise<void>;
  /** Does nothing: messages that no zone uses are only forwarded. */
  leave(topics: readonly string[]): Promise<void>;
  /**
   * Publishes a retained message of the daemon.
   * @returns once it is sent to the clients that are connected
   * @throws Error while the broker does not run: the message is lost
   */
  publish(topic: string, payload: string): Promise<void>;
  /** Where it listens, also for `mqtt.listen.port: 0`; undefined before the first time. */
  readonly port: number | undefined;
  /** How often each limit was reached since the start, and the bytes held for clients. */
  readonly use: BrokerUse;
  /** Called after a restart within the run of the daemon: all sessions and retained messages are lost. */
  onRestarted: () => void;
}

/** Limits reached by the built-in broker and the memory it uses. */
export interface BrokerUse {
  readonly limits: readonly { readonly limit: string; readonly count: number }[];
  readonly heldBytes: number;
}

/** What the built-in broker calls for the messages and the activity of its clients. */
export interface BrokerZones {
  /** Resolves once the message may be acknowledged; rejects if the client must send it again. */
  deliver(message: MqttMessage): Promise<void>;
  readonly deduplication: {
    connected(session: string, resumes: boolean): void;
    onActivity(session: string): void;
  };
  readonly counts: {
    /** Counts a message or a subscription that was denied; the client gets no answer before a promise resolves. */
    note(topic: string, reason: string, sizeBytes: number): void | Promise<void>;
  };
}
