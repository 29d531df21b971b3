import { parseDocument } from "yaml";
import { HTTP_DEFAULTS } from "../generated/defaults.ts";
import { environmentOverlay } from "./environment.ts";
import { configurationText, type LoadOptions } from "./load.ts";
import { depthProblem } from "./yaml-bounds.ts";

/** Where a page about a configuration's mistakes is served. */
export interface FallbackAddress {
  readonly host: string;
  readonly port: number;
  /** Names by which this machine may be called. */
  readonly names: readonly string[];
}

/**
 * The address of `http:` as far as a configuration with mistakes can tell. Beyond this machine only where the file says
 * that no encryption is wanted there: a certificate cannot be counted on, and a page in the open was not asked for.
 */
export function fallbackAddress(options: LoadOptions): FallbackAddress {
  const { host, port, tls, hosts } = httpOf(options);
  const mayBeOpen = host === "::1" || tls === "off";
  return {
    host: typeof host === "string" && mayBeOpen ? host : "127.0.0.1",
    port: isPort(port) ? port : HTTP_DEFAULTS.port,
    names: Array.isArray(hosts) ? hosts.filter((name) => typeof name === "string") : [],
  };
}

function httpOf(options: LoadOptions): Readonly<Record<string, unknown>> {
  try {
    // Read past what is wrong: half a file may still say where its page belongs.
    const { text } = configurationText(options);
    if (depthProblem(text)) return {};
    const document = parseDocument(text, { logLevel: "silent" });
    for (const { path, value } of environmentOverlay(options.env).settings) document.setIn(path, value);
    const { http } = (document.toJS() ?? {}) as { http?: unknown };
    return typeof http === "object" && http !== null ? (http as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function isPort(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value < 65_536;
}
