export interface BrokerCredentials {
  readonly username: string;
  readonly password: string;
}

/** PEM texts: the broker's certificate authority, without which the public ones are trusted, and the client certificate. */
export interface BrokerTls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** How a client reaches a broker. */
export interface BrokerAddress {
  readonly url: string;
  readonly credentials?: BrokerCredentials;
  readonly tls?: BrokerTls;
}

/** A group of sensors or programs that sign in to the built-in broker with one user name. */
export interface BrokerAccount extends BrokerCredentials {
  /** Topic filters that it may publish to; undefined for all topics. */
  readonly publish?: readonly string[] | undefined;
  /** Topic filters whose topics it may subscribe to; undefined for all. */
  readonly subscribe?: readonly string[] | undefined;
}

/** Host and port of a broker; the rest of its address may contain a password. */
export function brokerName(url: string): string {
  return url.split("/")[2] ?? "";
}
