import { resolve } from "node:path";
import { MQTT_LISTEN_DEFAULTS } from "../generated/defaults.ts";
import type { Configuration, MqttBroker, MqttTls } from "../generated/types.ts";
import { filterFormFault } from "../domain/topic-filter.ts";
import type { MqttAccountConfig, MqttConfig, MqttTlsConfig } from "./config.ts";
import type { Passwords } from "./passwords.ts";
import type { ConfigProblem } from "./problems.ts";
import { readText } from "./text-file.ts";

/**
 * Resolves the mqtt section with its defaults, passwords and certificates.
 * @param folder base of relative paths
 * @throws AppError `no-input` if a certificate cannot be read
 */
export function mqttOf(mqtt: "off" | MqttBroker, folder: string, passwords: Passwords): MqttConfig {
  if (mqtt === "off") return { mode: "off" };
  const { url, listen, username, clientId, tls } = mqtt;
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
    ...(tls === undefined ? {} : { tls: certificatesOf(tls, folder) }),
  };
}

/** Contradictory options of the section. */
export function mqttProblems(mqtt: "off" | MqttBroker | undefined): ConfigProblem[] {
  if (mqtt === undefined || mqtt === "off") return [];
  const { url, listen, username, accounts = [], tls } = mqtt;
  const problems: ConfigProblem[] = accountProblems(mqtt);
  if (url !== undefined && listen !== undefined)
    problems.push({
      path: ["mqtt", "listen"],
      message: "the built-in broker cannot be combined with an external one. Remove url or listen",
    });
  const host = listen?.host;
  if (host !== undefined && !isLoopback(host) && username === undefined && accounts.length === 0)
    problems.push({
      path: ["mqtt", "listen", "host"],
      message: `beyond loopback (${host}) the built-in broker needs username and passwordFile, or accounts`,
    });
  if (tls !== undefined && !isEncrypted(url))
    problems.push({
      path: ["mqtt", "tls"],
      message: "certificates need an encrypted connection. Set mqtt.url to mqtts://host:8883",
    });
  return problems;
}

function accountProblems({ url, username, accounts = [] }: MqttBroker): ConfigProblem[] {
  const path = ["mqtt", "accounts"] as const;
  if (url !== undefined && accounts.length > 0)
    return [{ path, message: "an external broker manages its own accounts. Remove accounts or url" }];
  const names = [
    ...(username === undefined ? [] : [username]),
    ...accounts.map((account) => account.username),
  ];
  const problems: ConfigProblem[] = [];
  for (const [index, account] of accounts.entries()) {
    if (names.indexOf(account.username) !== names.length - accounts.length + index)
      problems.push({
        path: [...path, index, "username"],
        message: `duplicate account ${JSON.stringify(account.username)}. Use a different name for each`,
      });
    for (const right of ["publish", "subscribe"] as const)
      for (const [at, filter] of (account[right] ?? []).entries()) {
        const fault = filterFormFault(filter);
        if (fault !== undefined)
          problems.push({
            path: [...path, index, right, at],
            message: `${JSON.stringify(filter)}: ${fault}`,
          });
      }
  }
  return problems;
}

function accountsOf({ accounts = [] }: MqttBroker, { mqttAccounts }: Passwords): MqttAccountConfig[] {
  return accounts.map(({ username, publish, subscribe }, index) => ({
    username,
    password: mqttAccounts[index] ?? "",
    ...(publish === undefined ? {} : { publish }),
    ...(subscribe === undefined ? {} : { subscribe }),
  }));
}

/** Home Assistant discovery needs a broker. */
export function homeAssistantProblems({ homeAssistant, mqtt }: Configuration): ConfigProblem[] {
  if (homeAssistant?.enabled !== true || mqtt !== "off") return [];
  return [
    {
      path: ["homeAssistant", "enabled"],
      message: "needs a broker, but mqtt is off. Set mqtt.url, or remove mqtt: off for the built-in broker",
    },
  ];
}

/** Warnings about probably unintended options of the section. */
export function mqttWarnings(mqtt: "off" | MqttBroker | undefined): string[] {
  if (mqtt === undefined || mqtt === "off") return [];
  return [...accountWarnings(mqtt), ...linkWarnings(mqtt)];
}

function accountWarnings({ accounts = [] }: MqttBroker): string[] {
  return accounts
    .filter(({ publish, subscribe }) => publish?.length === 0 && subscribe?.length === 0)
    .map(
      ({ username }) =>
        `mqtt.accounts: ${JSON.stringify(username)} may neither publish nor subscribe. Add topics or remove the account`,
    );
}

function linkWarnings(mqtt: MqttBroker): string[] {
  if (mqtt.url === undefined || mqtt.username === undefined) return [];
  if (isEncrypted(mqtt.url) || isLoopback(new URL(mqtt.url).hostname)) return [];
  return ["mqtt.url is not encrypted: the broker's password crosses the network unencrypted. Use mqtts://"];
}

/** Whether the address is a loopback address. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || host.startsWith("127.");
}

function isEncrypted(url: string | undefined): boolean {
  return url !== undefined && /^(mqtts|ssl|wss):/.test(url);
}

function certificatesOf({ caFile, certFile, keyFile }: MqttTls, folder: string): MqttTlsConfig {
  const read = (file: string, what: string): string => readText(resolve(folder, file), what);
  return {
    ...(caFile === undefined ? {} : { ca: read(caFile, "the broker's certificate authority") }),
    ...(certFile === undefined ? {} : { cert: read(certFile, "the certificate for the broker") }),
    ...(keyFile === undefined ? {} : { key: read(keyFile, "the key for the broker") }),
  };
}
