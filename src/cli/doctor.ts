import type { Config, MqttConfig } from "../config/config.ts";
import { AppError } from "../domain/errors.ts";
import { listenTo, probeBroker, QUEUED, type BrokerProbeResult } from "../inputs/broker-probe.ts";
import { ZoneTopics } from "../inputs/zone-topics.ts";
import { probeName } from "../ops/secrets.ts";
import { centreChecks } from "./centre-checks.ts";
import { daemonChecks } from "./daemon-checks.ts";
import { formatResults, type CheckResult } from "./check-result.ts";
import { installationChecks } from "./installation-checks.ts";
import { SystemClock } from "../ops/system-clock.ts";
import type { Terminal } from "./terminal.ts";

export interface DoctorOptions {
  readonly json: boolean;
  /** How long to listen to the sensors, in seconds. */
  readonly listenS: number;
}

/**
 * Checks an installation for problems that would lose a trip.
 * @throws AppError `conflict` (exit code 1) if a check fails, after printing all results
 */
export async function doctor(config: Config, options: DoctorOptions, { stdout }: Terminal): Promise<void> {
  const results = [
    ...(await installationChecks(config)),
    ...(await daemonChecks(config)),
    ...(await centreChecks(config)),
    ...(await mqttChecks(config, options.listenS)),
  ];
  stdout.write(options.json ? `${JSON.stringify(results, null, 2)}\n` : formatResults(results));
  const errors = results.filter(({ status }) => status === "error");
  if (errors.length > 0)
    throw new AppError("conflict", `${errors.length} of ${results.length} checks found an error`);
}

type ExternalBroker = Extract<MqttConfig, { mode: "external" }>;

async function mqttChecks(config: Config, listenS: number): Promise<CheckResult[]> {
  const { mqtt, zones } = config;
  const topics = new ZoneTopics(zones);
  if (topics.filters.length === 0) return [{ check: "MQTT", status: "ok", text: "no zone uses MQTT" }];
  if (mqtt.mode === "off")
    return [
      {
        check: "MQTT",
        status: "error",
        text: "zones use MQTT, but mqtt is off",
        remedy: "Remove mqtt: off or set mqtt.url.",
      },
    ];
  if (mqtt.mode === "built-in")
    return [
      {
        check: "MQTT broker",
        status: "warning",
        text: "the built-in broker does not queue messages while the daemon is offline; only QoS 1 sensors resend them",
        remedy:
          "For more than a few sensors, install Mosquitto with systemd/mosquitto/santinela.conf and set mqtt.url.",
      },
    ];
  try {
    const probed = await probeBroker({ broker: mqtt, clock: new SystemClock(), name: probeName() });
    return [...probeChecks(probed), ...(await sensorChecks(mqtt, topics, config, listenS, probed))];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { message, hint } = error;
    return [
      { check: "MQTT broker", status: "error", text: message, ...(hint === "" ? {} : { remedy: hint }) },
    ];
  }
}

const MOSQUITTO_REMEDY =
  "Copy systemd/mosquitto/santinela.conf to /etc/mosquitto/conf.d/ and restart mosquitto.";

/** Whether the broker keeps messages while the daemon is offline. */
function probeChecks({ keepsSession, keepsQos1, keepsQos0, kept }: BrokerProbeResult): CheckResult[] {
  const check = "MQTT broker";
  if (!keepsSession || !keepsQos1)
    return [
      {
        check,
        status: "error",
        text: "trips are lost while the daemon restarts: the broker does not keep the session",
        remedy: MOSQUITTO_REMEDY,
      },
    ];
  return [
    { check, status: "ok", text: "queues QoS 1 messages while the daemon is offline" },
    keepsQos0
      ? { check, status: "ok", text: "also queues QoS 0 messages" }
      : {
          check,
          status: "warning",
          text: "discards QoS 0 messages while the daemon is offline",
          remedy: MOSQUITTO_REMEDY,
        },
    kept >= QUEUED
      ? { check, status: "ok", text: `queues at least ${QUEUED} messages` }
      : {
          check,
          status: "warning",
          text: `queues ${kept} of ${QUEUED} messages; the newest messages are lost, including the alarm`,
          remedy: MOSQUITTO_REMEDY,
        },
  ];
}

/** Lists sensors whose messages the broker does not queue, and sensors that sent none. */
async function sensorChecks(
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
  const qos0Zones = zones.filter(({ id }) => qosOf.get(id) === 0).map(({ id }) => id);
  const silentZones = zones.filter(({ id, input }) => input.source === "mqtt" && !qosOf.has(id));
  const check = "Sensors";
  const results: CheckResult[] = [];
  if (qos0Zones.length > 0)
    results.push({
      check,
      status: keepsQos0 ? "ok" : "error",
      text: `publish with QoS 0: ${qos0Zones.join(", ")}${keepsQos0 ? "; the broker queues it" : "; an opening while the daemon restarts is lost"}`,
      ...(keepsQos0
        ? {}
        : {
            remedy: `Set QoS 1 on the sensor or its bridge, or queue_qos0_messages on the broker. ${MOSQUITTO_REMEDY}`,
          }),
    });
  if (silentZones.length > 0)
    results.push({
      check,
      status: "warning",
      text: `sent no message within ${listenS} s: ${silentZones.map(({ id }) => id).join(", ")}`,
      remedy: "Open and close them while `santinela doctor --listen 60` runs to see how they publish.",
    });
  return results;
}
