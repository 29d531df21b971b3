import { isIP } from "node:net";
import { DC09ACCOUNT_DEFAULTS, DC09_DEFAULTS } from "../generated/defaults.ts";
import type { Configuration, Dc09, Zone } from "../generated/types.ts";
import type { Dc09Source } from "../domain/alarm-panel.ts";
import type { ZoneProfile } from "../domain/zone.ts";
import type { Passwords } from "./passwords.ts";
import type { Report } from "./problems.ts";

/** Resolves the dc09 section with its defaults and keys. */
export function dc09Of(
  { objectives }: Configuration,
  { accounts, ...options }: Dc09,
  { dc09Keys }: Passwords,
  profiles: ReadonlyMap<string, ZoneProfile>,
): Dc09Source {
  const { host, port, transports = ["tcp", "udp"] } = options;
  return {
    host: host ?? DC09_DEFAULTS.host,
    port: port ?? DC09_DEFAULTS.port,
    transports,
    accounts: accounts.map(({ account, objective, plain, from = [], zones, silenceS, timestamps }, index) => {
      const { name } = objectives?.[objective.type]?.find(({ id }) => id === objective.id) ?? {};
      return {
        account: account.toUpperCase(),
        key: dc09Keys[index] ?? null,
        isPlain: plain === true,
        from,
        objective,
        zones: zones ?? DC09ACCOUNT_DEFAULTS.zones,
        silenceS: silenceS ?? null,
        timestamps: timestamps ?? DC09ACCOUNT_DEFAULTS.timestamps,
        ...(name === undefined ? {} : { objectiveName: name }),
      };
    }),
    profiles: Object.fromEntries(profiles),
  };
}

/** Contradictory options of the section, and zones and gates of unknown alarm panels. */
export function reportDc09({ dc09, zones = [] }: Configuration, report: Report): void {
  const known = new Set<string>();
  for (const [index, { account, keyFile, plain, from = [] }] of (dc09?.accounts ?? []).entries()) {
    const path = ["dc09", "accounts", index];
    if (known.has(account.toUpperCase())) report([...path, "account"], `duplicate account ${account}`);
    known.add(account.toUpperCase());
    if (keyFile === undefined && plain !== true)
      report(
        path,
        `account ${account} has no keyFile. Add it, or plain: true and from for an alarm panel without encryption`,
      );
    if (plain === true && from.length === 0)
      report([...path, "plain"], "plain: true needs from, the addresses that the alarm panel may send from");
    for (const [at, address] of from.entries())
      if (!isAddress(address))
        report(
          [...path, "from", at],
          `${address} is not an address. Use a form such as 192.168.1.20 or 192.168.1.0/24`,
        );
  }
  reportZonesOf(zones, known, report);
}

function reportZonesOf(zones: readonly Zone[], known: ReadonlySet<string>, report: Report): void {
  const used = new Set<string>();
  for (const [index, options] of zones.entries()) {
    const { input, gate } = options;
    if (typeof gate === "object" && "dc09" in gate && !known.has(gate.dc09.toUpperCase()))
      report(["zones", index, "gate", "dc09"], unknownAccount(gate.dc09));
    if (!("dc09" in input)) continue;
    const { dc09, partition = "any", zone, codes } = input;
    const path = ["zones", index, "input"];
    for (const name of ["debounceMs", "minOpenMs", "confirmMs"] as const)
      if ((options[name] ?? 0) > 0)
        report(
          ["zones", index, name],
          `an alarm panel filters its own contacts, and each of its alarms counts. Remove ${name}`,
        );
    if (!known.has(dc09.toUpperCase())) report([...path, "dc09"], unknownAccount(dc09));
    if (zone === undefined && codes === undefined)
      report(path, "zone is missing. Set the zone's number at the alarm panel, or codes");
    const own = JSON.stringify([dc09.toUpperCase(), partition, zone, codes?.toSorted()]);
    if (used.has(own))
      report([...path, "zone"], `zone ${zone} of alarm panel ${dc09} is already used by another zone`);
    used.add(own);
  }
}

function unknownAccount(account: string): string {
  return `account ${account} is not in dc09.accounts. Add it there`;
}

/** Whether a text is an address or a network in CIDR notation. */
export function isAddress(text: string): boolean {
  const [address = "", prefix, ...more] = text.split("/");
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  return bits > 0 && more.length === 0 && (prefix === undefined || Number(prefix) <= bits);
}
