import type { AedesPublishPacket, Subscription } from "aedes";

/** What aedes keeps for its clients, as far as it is measured here; its own types leave it out. */
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
  putWill(client: ClientName, will: AedesPublishPacket): Promise<void>;
  delWill(client: ClientName): Promise<unknown>;
}

export interface ClientName {
  readonly id: string;
}

export type Numbered = Pick<AedesPublishPacket, "topic" | "payload"> & { readonly messageId?: number };

/** The methods as they are before they are replaced, each on the object that it belongs to. */
export function methodsOf(persistence: Persistence): Persistence {
  const bound = <Name extends keyof Persistence>(name: Name): Persistence[Name] =>
    (persistence[name] as (...given: unknown[]) => unknown).bind(persistence) as Persistence[Name];
  return {
    addSubscriptions: bound("addSubscriptions"),
    removeSubscriptions: bound("removeSubscriptions"),
    cleanSubscriptions: bound("cleanSubscriptions"),
    outgoingEnqueue: bound("outgoingEnqueue"),
    outgoingEnqueueCombi: bound("outgoingEnqueueCombi"),
    outgoingUpdate: bound("outgoingUpdate"),
    outgoingClearMessageId: bound("outgoingClearMessageId"),
    outgoingStream: bound("outgoingStream"),
    incomingStorePacket: bound("incomingStorePacket"),
    incomingDelPacket: bound("incomingDelPacket"),
    cleanIncoming: bound("cleanIncoming"),
    putWill: bound("putWill"),
    delWill: bound("delWill"),
  };
}
