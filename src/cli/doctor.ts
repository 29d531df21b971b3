import type { Config, MqttConfig } from "../config/config.ts";
import { configurationToRun } from "../config/last-good.ts";
import type { LoadOptions } from "../config/load.ts";
import { AppError } from "../domain/errors.ts";
import { listenTo, probeBroker, QUEUED, type BrokerProbeResult } from "../inputs/broker-probe.ts";
import { ZoneTopics } from "../inputs/zone-topics.ts";
import { probeName } from "../ops/secrets.ts";
import { centreChecks } from "./centre-checks.ts";
import { daemonChecks } from "./daemon-checks.ts";
import { error, failed, formatResults, ok, warning, type CheckResult } from "./check-result.ts";
import { installationChecks } from "./installation-checks.ts";
import { SystemClock } from "../ops/system-clock.ts";
import { secondsOption, type JsonOption } from "./command-group.ts";
import { isDescribedIn } from "./described-objectives.ts";
import { noticeEmbedded } from "./embedded-notice.ts";
import { mosquittoRemedy } from "./shipped-files.ts";
import { jsonText, type Terminal } from "./terminal.ts";

/**
 * Checks an installation for problems that could lose trips.
 * @throws AppError `conflict` (exit code 1) if a check fails, after printing all results; as `configurationToRun`
 */
export async function doctor(
  from: LoadOptions,
  terminal: Terminal,
  { listen, json }: JsonOption & { readonly listen: string },
): Promise<void> {
  const listenS = secondsOption("--listen", listen);
  // An invalid file is a result, not the end of the other checks.
  const { config, fault } = configurationToRun({
    ...from,
    knowsObjective: (objective, dataDir) => isDescribedIn(dataDir, objective),
  });
  noticeEmbedded(config, terminal);
  const installation = await installationChecks(config, fault);
  // Before the daemon's conditions, which it may clear meanwhile.
  const centre = await centreChecks(config);
  const results = [
    ...installation,
    ...(await daemonChecks(config, { acceptsNow: centre[0]?.status === "ok" })),
    ...centre,
    ...(await mqttChecks(config, listenS)),
  ];
  terminal.stdout.write(json ? jsonText(results) : formatResults(results));
  const errors = results.filter(({ status }) => status === "error");
  if (errors.length > 0)
    throw new AppError("conflict", `${errors.length} of ${results.length} checks found an error`);
}

type ExternalBroker = Extract<MqttConfig, { mode: "external" }>;

async function mqttChecks(config: Config, listenS: number): Promise<CheckResult[]> {
  const { mqtt, zones } = config;
  const topics = new ZoneTopics(zones);
  if (topics.filters.length === 0) return [ok("MQTT", "no zone uses MQTT")];
  if (mqtt.mode === "off")
    return [error("MQTT", "zones use MQTT, but mqtt is off", "Remove mqtt: off or set mqtt.url.")];
  if (mqtt.mode === "built-in")
    return [
      warning(
        "MQTT broker",
        "the built-in broker does not queue messages while the daemon is offline; only QoS 1 sensors resend them",
        `For more than a few sensors, install Mosquitto and set mqtt.url. ${mosquittoRemedy()}`,
      ),
    ];
  try {
    const probed = await probeBroker({ broker: mqtt, clock: new SystemClock(), name: probeName() });
    return [...probeChecks(probed), ...(await sensorChecks(mqtt, topics, config, listenS, probed))];
  } catch (cause) {
    if (!(cause instanceof AppError)) throw cause;
    return [failed("MQTT broker", cause)];
  }
}

/** Whether the broker keeps messages while the daemon is offline. */
function probeChecks({ keepsSession, keepsQos1, keepsQos0, kept }: BrokerProbeResult): CheckResult[] {
  const check = "MQTT broker";
  const remedy = mosquittoRemedy();
  if (!keepsSession || !keepsQos1)
    return [
      error(check, "trips are lost while the daemon restarts: the broker does not keep the session", remedy),
    ];
  return [
    ok(check, "queues QoS 1 messages while the daemon is offline"),
    keepsQos0
      ? ok(check, "also queues QoS 0 messages")
      : warning(check, "discards QoS 0 messages while the daemon is offline", remedy),
    kept >= QUEUED
      ? ok(check, `queues at least ${QUEUED} messages`)
      : warning(
          check,
          `queues ${kept} of ${QUEUED} messages; the newest messages are lost, including the alarm`,
          remedy,
        ),
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
    const { signals } = topics.read(message.topic, message.payload, { isRetained: false });
    for (const { zoneId, signal } of signals)
      if (signal.kind === "contact")
        qosOf.set(zoneId, Math.min(qosOf.get(zoneId) ?? message.qos, message.qos));
  });
  const qos0Zones = zones.filter(({ id }) => qosOf.get(id) === 0).map(({ id }) => id);
  const silentZones = zones.filter(({ id, input }) => input.source === "mqtt" && !qosOf.has(id));
  const check = "Sensors";
  const results: CheckResult[] = [];
  const names = qos0Zones.join(", ");
  if (qos0Zones.length > 0 && keepsQos0)
    results.push(ok(check, `publish with QoS 0: ${names}; the broker queues it`));
  if (qos0Zones.length > 0 && !keepsQos0)
    results.push(
      error(
        check,
        `publish with QoS 0: ${names}; an opening while the daemon restarts is lost`,
        `Set QoS 1 on the sensor or its bridge, or queue_qos0_messages on the broker. ${mosquittoRemedy()}`,
      ),
    );
  if (silentZones.length > 0)
    results.push(
      warning(
        check,
        `sent no message within ${listenS} s: ${silentZones.map(({ id }) => id).join(", ")}`,
        "Open and close them while `santinela doctor --listen 60` runs to see how they publish.",
      ),
    );
  return results;
}
