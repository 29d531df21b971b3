import { lastGoodAtMs } from "../config/last-good.ts";
import { basename, relative } from "node:path";
import type { Config } from "../config/config.ts";
import { SYSTEM_FILE } from "../config/data-directories.ts";
import { panelAddresses } from "../ops/panel-address.ts";
import { INITIAL_ADMIN_EMAIL } from "../domain/principal.ts";
import { counted } from "../domain/headline-text.ts";
import type { Terminal } from "./terminal.ts";

/** What `systemctl status` shows. */
export function statusText({ zones, site, role }: Config): string {
  if (role === "centre") return `Dispatch centre ${site.ref}`;
  return `Monitoring ${counted(zones.length, "zone")} of ${site.ref}`;
}

/**
 * Where the web panel is, how to sign in, and what to try.
 * @param program how this one was started, so that the commands can be entered as they are shown
 */
export function readyText(
  { file, http, zones, role, dataDir }: Pick<Config, "file" | "http" | "zones" | "role" | "dataDir">,
  { host, port }: { readonly host: string; readonly port: number },
  program: Pick<Terminal, "main" | "cwd">,
): string {
  const scheme = http.tls.mode === "off" ? "http" : "https";
  const isEverywhere = host === "0.0.0.0" || host === "::";
  const name = isEverywhere ? "localhost" : host.includes(":") ? `[${host}]` : host;
  const [zone] = zones;
  // Without a file, a command would find the data of a site.
  const variable =
    role === "centre" && file === null ? `SANTINELA_DATA_DIR=${fromHere(dataDir, program)} ` : "";
  const command = `${variable}${commandName(program)}`;
  const place = file === null || file === SYSTEM_FILE ? "" : ` --config ${file}`;
  const tries =
    role === "centre"
      ? ["sites", "interventions list"]
      : ["zones watch", ...(zone ? [`trip --zone ${zone.id}`] : [])];
  return [
    "",
    `  Santinela is running. Web panel: ${scheme}://${name}:${port}/`,
    "  Sign in with an account of this installation, at first with the one-time code that the first start has shown.",
    `  If it is lost, set a password: ${command} user passwd --email ${INITIAL_ADMIN_EMAIL}${place}`,
    `  Try in another terminal: ${tries.map((words) => `${command} ${words}${place}`).join(", ")}. Ctrl-C stops the daemon.`,
    "",
    "",
  ].join("\n");
}

/** How to start with a new configuration. @param program how this one was started */
export function firstStartText(path: string, program: Pick<Terminal, "main" | "cwd">): string {
  // The package has started the daemon with the file that was here before.
  if (path.startsWith("/etc/"))
    return "Start it: systemctl enable santinela && systemctl restart santinela. Then: santinela zones watch\n";
  const command = commandName(program);
  return `Start it: ${command} serve --config ${path}. Then: ${command} zones watch --config ${path}\n`;
}

/** `santinela` of the package, an image or npm link; otherwise Node.js with the file that was started, as in a source tree. */
function commandName({ main, cwd }: Pick<Terminal, "main" | "cwd">): string {
  if (basename(main) === "santinela" || main.startsWith("/usr/lib/santinela/")) return "santinela";
  return `node ${fromHere(main, { cwd })}`;
}

/** A path as a user in this directory enters it. */
function fromHere(path: string, { cwd }: Pick<Terminal, "cwd">): string {
  const below = relative(cwd, path);
  return below.startsWith("..") ? path : below;
}

/** The initial administrator with its one-time password, which is shown once. */
interface InitialAccount {
  readonly email: string;
  readonly password: string;
}

/**
 * How the initial administrator is announced, with the address of the web panel as a QR code that fills in the code: a browser
 * does not send what follows `#`.
 * @param http of the configuration
 * @param forJournald whether standard error goes to journald
 */
export async function initialPasswordText(
  account: InitialAccount,
  http: Config["http"],
  forJournald: boolean,
): Promise<string> {
  const addresses = panelAddresses({ ...http, isEncrypted: http.tls.mode !== "off" });
  const [first] = addresses;
  if (!forJournald) return initialAdministratorText(account);
  if (first === undefined) return journaldText(account);
  // Loaded once in the life of an installation.
  const { qrText } = await import("../ops/qr-code.ts");
  const code = qrText(`${first}#code=${account.password}`);
  const open = `Open it on a phone on the same network: ${addresses.join(" or ")}\n`;
  return `${journaldText(account)}${open}${code}\n`;
}

function initialAdministratorText({ email, password }: InitialAccount): string {
  return [
    "",
    "  Initial administrator of this installation:",
    `    e-mail    ${email}`,
    `    password  ${password}`,
    "  The password is shown once and is not stored in readable form. It is also the one-time code for the set-up in",
    "  the web panel.",
    "",
    "",
  ].join("\n");
}

/**
 * The code is safe in journald, which keeps it for a long time: it works once, and only until the installation is set up.
 */
function journaldText({ email, password }: InitialAccount): string {
  return [
    `The initial administrator is ${email}.`,
    `Set up the account in the web panel with the one-time code ${password}`,
    `or set its password: santinela user passwd --email ${email}\n`,
  ].join("\n");
}

/** Why the configuration in force is not that of the file. */
export function faultText(fault: string, dataDir: string): string {
  const keptAtMs = lastGoodAtMs(dataDir);
  const what =
    keptAtMs === undefined
      ? "the previous configuration"
      : `the last good configuration of ${new Date(keptAtMs).toISOString()}`;
  return `${fault.replaceAll("\n", "; ")}; the daemon uses ${what}`;
}
