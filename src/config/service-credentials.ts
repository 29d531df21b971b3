import { dropInLines } from "./unit-drop-ins.ts";

/** The units of the package that may have credentials of systemd. */
const UNITS = ["santinela.service", "santinela-centre.service"];

/**
 * Whether a drop-in of the service loads a credential of systemd, which no other unit has: for a command that uses no password, it is
 * not missing.
 * @param credential its name
 * @param folder of the drop-ins
 */
export function isCredentialOfService(credential: string, folder = "/etc/systemd/system"): boolean {
  return UNITS.flatMap((unit) => dropInLines(folder, unit)).some(
    (line) => /^\w+Credential(?:Encrypted)?\s*=/.test(line) && line.includes(credential),
  );
}
