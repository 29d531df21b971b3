import type { Aedes, AedesPublishPacket, PublishPacket, Subscription } from "aedes";

/** The persistence of aedes, as far as it is measured here. */
export interface Persistence {
  addSubscriptions(client: ClientName, subscriptions: Subscription[]): Promise<void>;
  removeSubscriptions(client: ClientName, topics: string[]): Promise<void>;
  cleanSubscriptions(client: ClientName): Promise<void>;
  outgoingEnqueue(subscriber: { clientId: string }, packet: AedesPublishPacket): Promise<void>;
  outgoingEnqueueCombi(subscribers: { clientId: string }[], packet: AedesPublishPacket): Promise<void>;
  outgoingUpdate(client: ClientName, packet: Numbered): Promise<void>;
  outgoingClearMessageId(client: ClientName, packet: Numbered): Promise<AedesPublishPacket | undefined>;
  outgoingStream(client: ClientName): AsyncIterable<Numbered>;
  incomingStorePacket(client: ClientName, packet: AedesPublishPacket): Promise<void>;
  incomingDelPacket(client: ClientName, packet: Numbered): Promise<void>;
  cleanIncoming(client: ClientName): Promise<void>;
}

/** The wills of brokers that share a persistence and have ended. */
export interface OtherBrokersWills {
  streamWill(): AsyncIterable<never>;
  putWill(): Promise<void>;
  delWill(): Promise<void>;
}

/** The retained messages, which are not measured. */
export interface RetainedStore {
  storeRetained(packet: PublishPacket): Promise<void>;
  createRetainedStreamCombi(patterns: string[]): AsyncIterable<PublishPacket>;
}

interface FullPersistence extends Persistence, RetainedStore, OtherBrokersWills {}

/** The persistence of a broker; the types of aedes leave it out. */
export function persistenceOf(aedes: Aedes): FullPersistence {
  return (aedes as unknown as { readonly persistence: FullPersistence }).persistence;
}

export interface ClientName {
  readonly id: string;
}

export type Numbered = Pick<AedesPublishPacket, "topic" | "payload"> & { readonly messageId?: number };

const METHODS: readonly (keyof Persistence)[] = [
  "addSubscriptions",
  "removeSubscriptions",
  "cleanSubscriptions",
  "outgoingEnqueue",
  "outgoingEnqueueCombi",
  "outgoingUpdate",
  "outgoingClearMessageId",
  "outgoingStream",
  "incomingStorePacket",
  "incomingDelPacket",
  "cleanIncoming",
];

/** The original methods, bound to their object, before they are replaced. */
export function methodsOf(persistence: Persistence): Persistence {
  // As `unknown`: the compiler needs a minute for the union of their types.
  const methods: Readonly<Record<keyof Persistence, unknown>> = persistence;
  const bound = METHODS.map((name) => [name, (methods[name] as () => unknown).bind(persistence)]);
  return Object.fromEntries(bound) as Persistence;
}

/** A copy of a payload in separate memory, to be stored; Node.js would allocate it from a shared pool. */
export function unpooledCopy(payload: string | Uint8Array): Buffer {
  const bytes = typeof payload === "string" ? Buffer.from(payload) : payload;
  return Buffer.from(new Uint8Array(bytes).buffer);
}
