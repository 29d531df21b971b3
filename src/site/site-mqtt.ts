import type { Config } from "../config/config.ts";
import type { TrustedTime } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { brokerName } from "../domain/mqtt-broker.ts";
import { VERSION } from "../generated/version.ts";
import type { InputsOptions } from "../inputs/inputs.ts";
import type { MqttSource } from "../inputs/mqtt-source.ts";
import { AnnouncedDeviceFile } from "../ops/announced-device.ts";
import { panelAddresses } from "../ops/panel-address.ts";
import { isMachineUndecided } from "../ops/machine-identity.ts";
import { SubscribedFilters } from "../ops/subscribed-filters.ts";
import { mqttClientId } from "../ops/secrets.ts";
import { SessionsToEnd } from "../ops/sessions-to-end.ts";
import type { Site } from "./site.ts";

/**
 * Options of the MQTT input and of Home Assistant discovery.
 * @param running called only when the daemon is running
 */
export function siteMqttOf(
  config: Config,
  { time, conditions }: { readonly time: TrustedTime; readonly conditions: Conditions },
  running: () => Site,
): Pick<InputsOptions, "mqtt" | "homeAssistant"> {
  const { homeAssistant } = config;
  const mqtt = sourceOf(config, conditions);
  const announced = new AnnouncedDeviceFile(config.dataDir);
  if (!homeAssistant.enabled) return { mqtt, homeAssistant: { announced, shown: undefined } };
  const readState = () => ({
    ...running().status(),
    zones: running().zones.list(),
    isClockTrusted: time.isTrusted(),
  });
  // A reload can change the name and the reference.
  const site = () => config.site;
  const panelUrl = () => panelUrlOf(config);
  return {
    mqtt,
    homeAssistant: {
      announced,
      shown: { site, prefix: homeAssistant.prefix, version: VERSION, panelUrl, readState },
    },
  };
}

/** The first address of the web panel; undefined without one, and for a port that only the web server knows. */
function panelUrlOf({ http: { host, port, tls } }: Config): string | undefined {
  return port === 0 ? undefined : panelAddresses({ host, port, isEncrypted: tls.mode !== "off" })[0];
}

/** An external broker keeps the session under a client id that is unique for this installation. */
function sourceOf({ mqtt, dataDir }: Config, conditions: Conditions): MqttSource {
  if (mqtt.mode !== "external") return mqtt;
  let isTemporary = false;
  // Without its session it may lose what the broker has queued, but monitoring must start.
  const onUnstored = (reason: string): void => {
    isTemporary = true;
    conditions.raise("mqtt-client-id-temporary", { reason });
  };
  const clientId = mqtt.clientId ?? mqttClientId(dataDir, onUnstored);
  const formerSessions = new SessionsToEnd(dataDir);
  // Before it is used: a power cut leaves its session behind.
  if (isTemporary) formerSessions.add(clientId);
  if (isTemporary) return { ...mqtt, clientId, isTemporary, formerSessions };
  const filterStore = new SubscribedFilters(dataDir, { broker: brokerName(mqtt.url), clientId });
  const { lastClientId } = filterStore;
  // Until `mqtt.clientId` was set, this was the id. In an undecided machine it may be that of another one.
  if (mqtt.clientId !== undefined && lastClientId !== undefined && lastClientId !== clientId)
    if (!isMachineUndecided(dataDir)) formerSessions.add(lastClientId);
  return { ...mqtt, clientId, formerSessions, filterStore };
}
