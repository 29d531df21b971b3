import { hostname, networkInterfaces } from "node:os";

/** Where the web panel listens. */
interface PanelListener {
  /** `http.host`: an address, or `0.0.0.0` or `::` for all. */
  readonly host: string;
  readonly port: number;
  readonly isEncrypted: boolean;
}

/** Name of a device whose host name is `santinela`, and of an alias in Avahi; docs/installing.md has both. */
export const LOCAL_NAME = "santinela.local";

/**
 * The addresses of the web panel for a browser on another device, the most reliable one first: numbers work on every phone,
 * names only where it asks for them over multicast.
 * @returns URLs with a trailing slash; empty if only this device can open it
 */
export function panelAddresses({ host, port, isEncrypted }: PanelListener): string[] {
  if (/^127\.|^::1$|^localhost$/.test(host)) return [];
  const [first = "localhost"] = hostname().toLowerCase().split(".");
  const isEverywhere = host === "0.0.0.0" || host === "::";
  const hosts = isEverywhere ? [...lanAddresses(), `${first}.local`] : [host];
  const scheme = isEncrypted ? "https" : "http";
  return hosts.map((name) => `${scheme}://${name.includes(":") ? `[${name}]` : name}:${port}/`);
}

/** IPv4 addresses of this machine on the LAN; those of IPv6 change and are too long to type. */
export function lanAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((all) =>
    (all ?? [])
      .filter(({ family, internal }) => family === "IPv4" && !internal)
      .map(({ address }) => address),
  );
}
