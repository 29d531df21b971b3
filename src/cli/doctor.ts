import type { Config, MqttConfig } from "../config/config.ts";
import { AppError } from "../domain/errors.ts";
import { listenTo, probeBroker, QUEUED, type BrokerProbeResult } from "../inputs/broker-probe.ts";
import { ZoneTopics } from "../inputs/zone-topics.ts";
import { probeName } from "../ops/secrets.ts";
import { centreChecks } from "./centre-checks.ts";
import { daemonFindings } from "./daemon-checks.ts";
import { linesOf, type CheckResult } from "./check-result.ts";
import { installationFindings } from "./installation-checks.ts";
import { SystemClock } from "../ops/system-clock.ts";
import type { Terminal } from "./terminal.ts";

export interface DoctorOptions {
  readonly json: boolean;
  /** How long sensors are listened to. */
  readonly listenS: number;
}

/**
 * Looks at an installation and tells what would lose a trip.
 * @throws AppError `conflict` (exit code 1) when something was found that must be mended; everything has been printed then
 */
export async function doctor(config: Config, options: DoctorOptions, { stdout }: Terminal): Promise<void> {
  const findings = [
    ...(await installationFindings(config)),
    ...(await daemonFindings(config)),
    ...(await centreChecks(config)),
    ...(await mqttFindings(config, options.listenS)),
  ];
  stdout.write(options.json ? `${JSON.stringify(findings, null, 2)}\n` : linesOf(findings));
  const faults = findings.filter(({ status }) => status === "fault");
  if (faults.length > 0)
    throw new AppError("conflict", `${faults.length} of ${findings.length} checks found a fault`);
}

type ExternalBroker = Extract<MqttConfig, { mode: "external" }>;

async function mqttFindings(config: Config, listenS: number): Promise<CheckResult[]> {
  const { mqtt, zones } = config;
  const topics = new ZoneTopics(zones);
  if (topics.filters.length === 0)
    return [{ check: "MQTT", status: "well", text: "no zone listens to messages" }];
  if (mqtt.mode === "off")
    return [
      {
        check: "MQTT",
        status: "fault",
        text: "zones listen to messages, and mqtt is off",
        remedy: "Remove mqtt: off, or write mqtt.url.",
      },
    ];
  if (mqtt.mode === "built-in")
    return [
      {
        check: "MQTT broker",
        status: "doubt",
        text: "the built-in broker keeps nothing while the daemon is away; only sensors with QoS 1 say it again",
        remedy:
          "For more than a few sensors install Mosquitto with systemd/mosquitto/santinela.conf and set mqtt.url.",
      },
    ];
  try {
    const probed = await probeBroker({ broker: mqtt, clock: new SystemClock(), name: probeName() });
    return [...probeFindings(probed), ...(await sensorFindings(mqtt, topics, config, listenS, probed))];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { message, hint } = error;
    return [
      { check: "MQTT broker", status: "fault", text: message, ...(hint === "" ? {} : { remedy: hint }) },
    ];
  }
}

const SHIPPED_SETTINGS =
  "Copy systemd/mosquitto/santinela.conf to /etc/mosquitto/conf.d/ and restart mosquitto.";

/** Would it lose a trip? */
function probeFindings({ keepsSession, keepsQos1, keepsQos0, kept }: BrokerProbeResult): CheckResult[] {
  const check = "MQTT broker";
  if (!keepsSession || !keepsQos1)
    return [
      {
        check,
        status: "fault",
        text: "a trip while the daemon restarts is lost: the broker keeps no session",
        remedy: SHIPPED_SETTINGS,
      },
    ];
  const findings: CheckResult[] = [
    { check, status: "well", text: "keeps what comes with QoS 1 while the daemon is away" },
    keepsQos0
      ? { check, status: "well", text: "keeps what comes with QoS 0 as well" }
      : {
          check,
          status: "doubt",
          text: "throws away what comes with QoS 0 while the daemon is away",
          remedy: SHIPPED_SETTINGS,
        },
    kept >= QUEUED
      ? { check, status: "well", text: `keeps ${QUEUED} messages and more` }
      : {
          check,
          status: "doubt",
          text: `keeps ${kept} messages of ${QUEUED}; the newest are lost, and the alarm is in them`,
          remedy: SHIPPED_SETTINGS,
        },
  ];
  return findings;
}

/** Which sensors publish in a way that this broker does not keep? */
async function sensorFindings(
  mqtt: ExternalBroker,
  topics: ZoneTopics,
  { zones }: Config,
  listenS: number,
  { keepsQos0 }: BrokerProbeResult,
): Promise<CheckResult[]> {
  const qosOf = new Map<string, number>();
  await listenTo(mqtt, topics.filters, new SystemClock(), listenS * 1000, (message) => {
    const { signals } = topics.read(message.topic, message.payload, false);
    for (const { zoneId, signal } of signals)
      if (signal.kind === "contact")
        qosOf.set(zoneId, Math.min(qosOf.get(zoneId) ?? message.qos, message.qos));
  });
  const careless = zones.filter(({ id }) => qosOf.get(id) === 0).map(({ id }) => id);
  const unheard = zones.filter(({ id, input }) => input.source === "mqtt" && !qosOf.has(id));
  const check = "Sensors";
  const findings: CheckResult[] = [];
  if (careless.length > 0)
    findings.push({
      check,
      status: keepsQos0 ? "well" : "fault",
      text: `publish with QoS 0: ${careless.join(", ")}${keepsQos0 ? "; this broker keeps that" : "; an opening while the daemon restarts is lost"}`,
      ...(keepsQos0
        ? {}
        : {
            remedy: `Set QoS 1 at the sensor or its bridge, or queue_qos0_messages at the broker. ${SHIPPED_SETTINGS}`,
          }),
    });
  if (unheard.length > 0)
    findings.push({
      check,
      status: "doubt",
      text: `said nothing within ${listenS} s: ${unheard.map(({ id }) => id).join(", ")}`,
      remedy: "Open and close them while `santinela doctor --listen 60` runs to see how they publish.",
    });
  return findings;
}
