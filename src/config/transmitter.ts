import { isCreatedZoneId } from "../domain/alarm-panel.ts";
import { formatOfCode, type EventFormat } from "../domain/event-code.ts";
import { silentSecondsOf } from "../domain/site-silence.ts";
import type { TransmitterConfig } from "../domain/transmitter.ts";
import { DC09_DEFAULTS, MONITORING_RECEIVER_DEFAULTS, TRANSMITTER_DEFAULTS } from "../generated/defaults.ts";
import type { Configuration, MonitoringReceiver } from "../generated/types.ts";
import type { Passwords } from "./passwords.ts";
import type { Report } from "./problems.ts";

/** Resolves the transmitters with their defaults and keys. */
export function transmittersOf(
  { upstreams = [] }: Configuration,
  { transmitterKeys }: Passwords,
): TransmitterConfig[] {
  return upstreams.map(({ dc09 }, index) => {
    const { account, codes, partition, zones = [] } = dc09;
    return {
      account: account.toUpperCase(),
      key: transmitterKeys[index] ?? null,
      receiverNumber: dc09.receiver?.toUpperCase() ?? null,
      line: (dc09.line ?? TRANSMITTER_DEFAULTS.line).toUpperCase(),
      receivers: dc09.receivers.map(({ host, port, transport, pollS }) => ({
        host,
        port: port ?? MONITORING_RECEIVER_DEFAULTS.port,
        transport: transport ?? MONITORING_RECEIVER_DEFAULTS.transport,
        pollS: pollSecondsOf(pollS ?? MONITORING_RECEIVER_DEFAULTS.pollS),
      })),
      replyS: dc09.replyS ?? TRANSMITTER_DEFAULTS.replyS,
      testH: dc09.testH ?? TRANSMITTER_DEFAULTS.testH,
      numbering: {
        format: codes ?? TRANSMITTER_DEFAULTS.codes,
        partition: partition ?? TRANSMITTER_DEFAULTS.partition,
        zones,
      },
    };
  });
}

/** Two messages may be lost before a receiver must report a failed path. */
const POLLS_IN_REPORTING_TIME = 3;

/** @param option seconds, or the name of a reporting time; both validated by the schema */
function pollSecondsOf(option: NonNullable<MonitoringReceiver["pollS"]>): number {
  return typeof option === "number" ? option : Math.floor(silentSecondsOf(option) / POLLS_IN_REPORTING_TIME);
}

/** Contradictory options of a transmitter. */
export function reportTransmitters({ upstreams = [], dc09: panels }: Configuration, report: Report): void {
  for (const [index, { dc09 }] of upstreams.entries()) {
    const path = ["upstreams", index, "dc09"];
    const { keyFile, plain, zones = [], receivers, codes = TRANSMITTER_DEFAULTS.codes } = dc09;
    if ((keyFile === undefined) === (plain !== true))
      report(path, "keyFile or plain: true is required, and not both. Ask the receiver's operator for a key");
    const addresses = receivers.map(({ host, port, transport }) => JSON.stringify([host, port, transport]));
    for (const [at, address] of addresses.entries()) {
      const { host, port = MONITORING_RECEIVER_DEFAULTS.port } = receivers[at] ?? { host: "" };
      if (addresses.indexOf(address) < at)
        report(
          [...path, "receivers", at],
          `duplicate receiver ${host}. A backup receiver has another address`,
        );
      if (panels && LOOPBACK.has(host) && port === (panels.port ?? DC09_DEFAULTS.port))
        report(
          [...path, "receivers", at],
          "this is the receiver of this daemon, which would report to itself",
        );
    }
    const numbers = new Map<number, string>();
    const ids = new Set<string>();
    for (const [at, { zone, number, code }] of zones.entries()) {
      if (code !== undefined && formatOfCode(code) !== codes)
        report(
          [...path, "zones", at, "code"],
          `${code} is no code of codes: ${codes}. Use ${CODE_OF_FORMAT[codes]}, or remove code`,
        );
      if (ids.has(zone)) report([...path, "zones", at, "zone"], `duplicate zone ${zone}`);
      ids.add(zone);
      if (number === undefined) continue;
      const other = numbers.get(number);
      if (other !== undefined)
        report([...path, "zones", at, "number"], `number ${number} is already used by zone ${other}`);
      numbers.set(number, zone);
    }
  }
}

/** Zones of a transmitter that the site does not have. A warning: one that was removed must not stop the site. */
export function transmitterWarnings({ upstreams = [], zones = [], dc09: panels }: Configuration): string[] {
  const ids = new Set(zones.map(({ id }) => id));
  const accounts = (panels?.accounts ?? []).map(({ account }) => account);
  return upstreams.flatMap(({ dc09 }, index) =>
    (dc09.zones ?? []).flatMap(({ zone }, at) =>
      ids.has(zone) || accounts.some((account) => isCreatedZoneId(zone, account))
        ? []
        : [
            `upstreams[${index}].dc09.zones[${at}].zone: no zone has the id ${zone}, so its number, partition and code have no effect. Correct or remove it`,
          ],
    ),
  );
}

const CODE_OF_FORMAT: Readonly<Record<EventFormat, string>> = {
  "contact-id": "three digits such as 131",
  sia: "two letters such as ZA",
};

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "::1"]);
