import type { BrokerAddress } from "../domain/mqtt-broker.ts";
import type { MqttConfig } from "./config.ts";

/**
 * The address of the broker for another session of this installation; undefined if MQTT is off. At the built-in broker it
 * uses `mqtt.username`, or else the account that may read most.
 */
export function brokerAddress(mqtt: MqttConfig): BrokerAddress | undefined {
  if (mqtt.mode === "off") return undefined;
  if (mqtt.mode === "external") {
    const { url, credentials, tls } = mqtt;
    return { url, ...(credentials && { credentials }), ...(tls && { tls }) };
  }
  const { host, port, accounts } = mqtt;
  const address = ["0.0.0.0", "::"].includes(host) ? "127.0.0.1" : host;
  const url = `mqtt://${address.includes(":") ? `[${address}]` : address}:${port}`;
  const account = accounts.find(({ subscribe }) => subscribe === undefined) ?? accounts[0];
  const credentials =
    mqtt.credentials ?? (account && { username: account.username, password: account.password });
  return { url, ...(credentials && { credentials }) };
}

/**
 * As `brokerAddress`, with the port that the system has chosen for a built-in broker.
 * @param openPort asks the running daemon for it; null while the broker does not listen
 * @returns undefined also while it does not listen there
 */
export async function openBrokerAddress(
  mqtt: MqttConfig,
  openPort: () => Promise<number | null>,
): Promise<BrokerAddress | undefined> {
  if (mqtt.mode !== "built-in" || mqtt.port !== 0) return brokerAddress(mqtt);
  const port = await openPort();
  return port === null ? undefined : brokerAddress({ ...mqtt, port });
}
