import { MQTT_LISTEN_DEFAULTS } from "../generated/defaults.ts";
import type { Configuration, MqttBroker } from "../generated/types.ts";
import type { BrokerAccount, BrokerTls } from "../domain/mqtt-broker.ts";
import { filterFormFault } from "../domain/topic-filter.ts";
import type { MqttConfig } from "./config.ts";
import type { Passwords } from "./passwords.ts";
import type { Report } from "./problems.ts";

/**
 * Resolves the mqtt section with its defaults and passwords.
 * @param tls certificates for an external broker
 */
export function mqttOf(
  mqtt: "off" | MqttBroker,
  tls: BrokerTls | undefined,
  passwords: Passwords,
): MqttConfig {
  if (mqtt === "off") return { mode: "off" };
  const { url, listen, username, clientId } = mqtt;
  const credentials =
    username === undefined ? {} : { credentials: { username, password: passwords.mqtt ?? "" } };
  if (url === undefined) {
    const accounts = accountsOf(mqtt, passwords);
    return { mode: "built-in", ...MQTT_LISTEN_DEFAULTS, ...listen, ...credentials, accounts };
  }
  return {
    mode: "external",
    url,
    ...(clientId === undefined ? {} : { clientId }),
    ...credentials,
    ...(tls === undefined ? {} : { tls }),
  };
}

/** Contradictory options of the section. */
export function reportMqtt({ mqtt, homeAssistant }: Configuration, report: Report): void {
  if (mqtt === "off" && homeAssistant?.enabled === true)
    report(
      ["homeAssistant", "enabled"],
      "needs a broker, but mqtt is off. Set mqtt.url, or remove mqtt: off for the built-in broker",
    );
  if (mqtt === undefined || mqtt === "off") return;
  const { url, listen, username, accounts = [], tls } = mqtt;
  if (url !== undefined && listen !== undefined)
    report(
      ["mqtt", "listen"],
      "the built-in broker cannot be combined with an external one. Remove url or listen",
    );
  const host = listen?.host;
  if (host !== undefined && !isLoopback(host) && username === undefined && accounts.length === 0)
    report(
      ["mqtt", "listen", "host"],
      `beyond loopback (${host}) the built-in broker needs username and passwordFile, or accounts`,
    );
  if (tls !== undefined && !isEncrypted(url))
    report(["mqtt", "tls"], "certificates need an encrypted connection. Set mqtt.url to mqtts://host:8883");
  if (url !== undefined && accounts.length > 0)
    report(["mqtt", "accounts"], "an external broker manages its own accounts. Remove accounts or url");
  else reportAccounts(mqtt, report);
}

function reportAccounts({ username, accounts = [] }: MqttBroker, report: Report): void {
  const names = new Set([username]);
  for (const [index, account] of accounts.entries()) {
    const path = ["mqtt", "accounts", index];
    if (names.has(account.username))
      report(
        [...path, "username"],
        `duplicate account ${JSON.stringify(account.username)}. Use a different name for each`,
      );
    names.add(account.username);
    for (const right of ["publish", "subscribe"] as const)
      for (const [at, filter] of (account[right] ?? []).entries()) {
        const fault = filterFormFault(filter);
        if (fault !== undefined) report([...path, right, at], `${JSON.stringify(filter)}: ${fault}`);
      }
  }
}

function accountsOf({ accounts = [] }: MqttBroker, { mqttAccounts }: Passwords): BrokerAccount[] {
  return accounts.map(({ username, publish, subscribe }, index) => {
    return { username, publish, subscribe, password: mqttAccounts[index] ?? "" };
  });
}

/** Warnings about probably unintended options of the section. */
export function mqttWarnings(mqtt: Configuration["mqtt"]): string[] {
  if (mqtt === undefined || mqtt === "off") return [];
  const { url, username, accounts = [] } = mqtt;
  const warnings = accounts
    .filter(({ publish, subscribe }) => publish?.length === 0 && subscribe?.length === 0)
    .map(
      (account) =>
        `mqtt.accounts: ${JSON.stringify(account.username)} may neither publish nor subscribe. Add topics or remove the account`,
    );
  if (url === undefined || username === undefined || isEncrypted(url) || isLoopback(new URL(url).hostname))
    return warnings;
  const text =
    "mqtt.url is not encrypted: the broker's password crosses the network unencrypted. Use mqtts://";
  return [...warnings, text];
}

/** Whether the address is a loopback address. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || host.startsWith("127.");
}

function isEncrypted(url: string | undefined): boolean {
  return url !== undefined && /^(mqtts|ssl|wss):/.test(url);
}
