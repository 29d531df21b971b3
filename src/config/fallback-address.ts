import { HTTP_DEFAULTS } from "../generated/defaults.ts";
import { environmentOverlay } from "./environment.ts";
import { configurationText, type LoadOptions } from "./load.ts";
import { parseBounded } from "./yaml-bounds.ts";

/** Address of the safe mode page. */
interface FallbackAddress {
  readonly host: string;
  readonly port: number;
  /** Host names of this machine. */
  readonly names: readonly string[];
}

/**
 * Reads the address of `http:` from an invalid configuration as far as possible. Beyond loopback only with `tls: off`: a
 * certificate may be unavailable, and an unencrypted page must be configured.
 */
export function fallbackAddress(options: LoadOptions): FallbackAddress {
  const { host, port, tls, hosts } = httpOf(options);
  const canUseHost = host === "::1" || tls === "off";
  return {
    host: typeof host === "string" && canUseHost ? host : "127.0.0.1",
    port: isPort(port) ? port : HTTP_DEFAULTS.port,
    names: Array.isArray(hosts) ? hosts.filter((name) => typeof name === "string") : [],
  };
}

function httpOf(options: LoadOptions): Readonly<Record<string, unknown>> {
  try {
    // Errors are ignored: a partly valid file may still contain the address.
    const { text } = configurationText(options);
    const { document, tooDeep } = parseBounded(text);
    if (tooDeep) return {};
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
