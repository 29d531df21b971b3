import type { Config } from "../config/config.ts";
import { AppError } from "../domain/errors.ts";
import { ownCertificateIfThere } from "../ops/certificates.ts";
import { panelAddresses } from "../ops/panel-address.ts";
import { SetUpCode } from "../ops/set-up-code.ts";
import type { JsonOption } from "./command-group.ts";
import { jsonText, type Terminal } from "./terminal.ts";

interface AddressOptions extends JsonOption {
  /** Also the one-time set-up code, while it is kept and unused. */
  readonly setUp?: boolean;
  /** For dark text on a light background. */
  readonly darkText?: boolean;
}

/**
 * Prints where other devices open the web panel, with a QR code, and the fingerprint to compare.
 * @throws AppError `no-input` if there is no set-up code to print
 */
export async function showAddress(
  config: Pick<Config, "http" | "dataDir">,
  { stdout }: Terminal,
  { json, setUp, darkText = false }: AddressOptions = {},
): Promise<void> {
  const { http, dataDir } = config;
  const code = setUp ? keptCode(dataDir) : undefined;
  const addresses = panelAddresses({ ...http, isEncrypted: http.tls.mode !== "off" });
  const authority = http.tls.mode === "own" ? ownCertificateIfThere(dataDir)?.authority : undefined;
  const fingerprint = authority?.fingerprint ?? null;
  if (json)
    return void stdout.write(jsonText({ addresses, fingerprint, ...(code === undefined ? {} : { code }) }));
  const coded = code === undefined ? "" : `One-time set-up code: ${code}\n`;
  const [first] = addresses;
  if (first === undefined) {
    stdout.write(`Only this device can open the web panel: http.host is ${http.host}.\n${coded}`);
    return;
  }
  const { qrText } = await import("../ops/qr-code.ts");
  const checked = fingerprint === null ? "" : `Certificate authority (SHA-256): ${fingerprint}\n`;
  // A browser does not send what follows #.
  const links = code === undefined ? addresses : addresses.map((address) => `${address}#code=${code}`);
  const drawn = qrText(links[0] ?? first, { isDarkText: darkText });
  stdout.write(`Web panel: ${links.join(" or ")}\n${coded}${checked}${drawn}\n`);
}

function keptCode(dataDir: string): string {
  const code = new SetUpCode(dataDir).read();
  if (code !== undefined) return code;
  throw new AppError("no-input", "there is no unused set-up code", {
    hint: "It is kept only on a Raspberry Pi, until it is used. Set a password: santinela user passwd --email <address>",
  });
}
