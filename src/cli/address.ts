import type { Config } from "../config/config.ts";
import { ownCertificateIfThere } from "../ops/certificates.ts";
import { panelAddresses } from "../ops/panel-address.ts";
import type { JsonOption } from "./command-group.ts";
import { jsonText, type Terminal } from "./terminal.ts";

/** Prints where other devices open the web panel, with a QR code, and the fingerprint to compare. */
export async function showAddress(
  config: Pick<Config, "http" | "dataDir">,
  { stdout }: Terminal,
  { json }: JsonOption = {},
): Promise<void> {
  const { http, dataDir } = config;
  const addresses = panelAddresses({ ...http, isEncrypted: http.tls.mode !== "off" });
  const authority = http.tls.mode === "own" ? ownCertificateIfThere(dataDir)?.authority : undefined;
  const fingerprint = authority?.fingerprint ?? null;
  if (json) {
    stdout.write(jsonText({ addresses, fingerprint }));
    return;
  }
  const [first] = addresses;
  if (first === undefined) {
    stdout.write(`Only this device can open the web panel: http.host is ${http.host}.\n`);
    return;
  }
  const { qrText } = await import("../ops/qr-code.ts");
  const checked = fingerprint === null ? "" : `Certificate authority (SHA-256): ${fingerprint}\n`;
  stdout.write(`Web panel: ${addresses.join(" or ")}\n${checked}${qrText(first)}\n`);
}
