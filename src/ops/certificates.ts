import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname, networkInterfaces } from "node:os";
import { join } from "node:path";
import { AppError, messageOf } from "../domain/errors.ts";
import { signCertificate, type CertificatePaths } from "./certificate-authority.ts";

/** What a TLS server shows, and the key to it. */
export interface ServerCertificate {
  /** PEM: the server's certificate and those that have signed it. */
  readonly cert: string;
  readonly key: string;
  /** Names and addresses it is good for. */
  readonly names: readonly string[];
  /** Milliseconds since 1970. */
  readonly validFromMs: number;
  readonly validUntilMs: number;
  /** The authority of this installation: what technicians and a panel's browser trust. Null for files from elsewhere. */
  readonly authority: OwnAuthority | null;
}

export interface OwnAuthority {
  readonly pem: string;
  readonly fingerprint: string;
  /** Milliseconds since 1970. */
  readonly validFromMs: number;
}

export interface OwnCertificateOptions {
  /** Further names beside this machine's own. */
  readonly names: readonly string[];
  readonly nowMs: number;
  /** Whether that clock can be relied on; an untrusted one never replaces the authority. */
  readonly isClockTrusted: boolean;
  /** Makes a new certificate in any case. */
  readonly renew?: boolean;
}

/** Before this day no clock is right: a device without a battery clock starts in the past. */
const EARLIEST_MS = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;
const RENEW_BEFORE_DAYS = 60;

/**
 * The certificate of this installation, signed by its own authority. Both are made the first time; the certificate is
 * made again when a name is missing in it or its end is near, the authority only when it was made while the clock stood
 * in the future: no device with the right time can use that one.
 * @throws AppError `cannot-create` when the folder cannot be written to, `configuration` when a file is broken
 */
export async function ownCertificate(
  dataDir: string,
  { names, nowMs, isClockTrusted, renew = false }: OwnCertificateOptions,
): Promise<ServerCertificate> {
  const paths = pathsOf(dataDir);
  const wanted = [...new Set([...namesOfThisMachine(), ...names.map((name) => name.toLowerCase())])];
  const clockMs = Math.max(nowMs, EARLIEST_MS);
  try {
    const present = presentCertificate(paths);
    const isAuthorityUsable = !isClockTrusted || (present?.authority?.validFromMs ?? 0) <= clockMs;
    if (present && !renew && isAuthorityUsable && fits(present, wanted, clockMs)) return present;
    await signCertificate(paths, wanted, { clockMs, withNewAuthority: !isAuthorityUsable });
    const made = presentCertificate(paths);
    if (!made) throw new Error("the files that were just written cannot be read");
    return made;
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError("cannot-create", `cannot make the certificate in ${dataDir}: ${messageOf(cause)}`, {
      hint: "Check that this user may write there.",
      cause,
    });
  }
}

/**
 * A certificate that was made elsewhere.
 * @throws AppError `configuration` when the files cannot be read or do not belong together
 */
export function certificateFromFiles(certFile: string, keyFile: string): ServerCertificate {
  try {
    const cert = readFileSync(certFile, "utf8");
    const key = readFileSync(keyFile, "utf8");
    return described({ cert, key, authority: null });
  } catch (cause) {
    throw new AppError("configuration", `cannot use ${certFile} and ${keyFile}: ${messageOf(cause)}`, {
      hint: "http.tls needs a PEM certificate, with those that signed it behind it, and its PEM key.",
      cause,
    });
  }
}

/** The certificate that this installation has made for itself, as it lies there; undefined when there is none. */
export function ownCertificateIfThere(dataDir: string): ServerCertificate | undefined {
  return presentCertificate(pathsOf(dataDir));
}

function pathsOf(dataDir: string): CertificatePaths {
  return {
    authority: join(dataDir, "tls", "ca.crt"),
    authorityKey: join(dataDir, "secrets", "ca.key"),
    server: join(dataDir, "tls", "server.crt"),
    serverKey: join(dataDir, "secrets", "server.key"),
  };
}

/** How this machine is called on its LAN. Addresses of IPv6 change by themselves and are left out. */
function namesOfThisMachine(): string[] {
  const own = hostname().toLowerCase();
  const [first = own] = own.split(".");
  const addresses = Object.values(networkInterfaces()).flatMap((all) =>
    (all ?? []).filter(({ family }) => family === "IPv4").map(({ address }) => address),
  );
  return [own, `${first}.local`, "localhost", ...addresses, "127.0.0.1", "::1"];
}

function presentCertificate(paths: CertificatePaths): ServerCertificate | undefined {
  try {
    return described({
      cert: readFileSync(paths.server, "utf8"),
      key: readFileSync(paths.serverKey, "utf8"),
      authority: readFileSync(paths.authority, "utf8"),
    });
  } catch {
    // Missing or torn by a power cut: it is made anew.
    return undefined;
  }
}

function fits(present: ServerCertificate, wanted: readonly string[], clockMs: number): boolean {
  const daysLeft = (present.validUntilMs - clockMs) / DAY_MS;
  const have = new Set(present.names);
  return (
    present.validFromMs <= clockMs && daysLeft > RENEW_BEFORE_DAYS && wanted.every((name) => have.has(name))
  );
}

function described({
  cert,
  key,
  authority,
}: {
  cert: string;
  key: string;
  authority: string | null;
}): ServerCertificate {
  const parsed = new X509Certificate(cert);
  const names = (parsed.subjectAltName ?? "")
    .split(", ")
    .map((entry) => entry.replace(/^(DNS|IP Address):/, "").replace(/^0:0:0:0:0:0:0:1$/, "::1"));
  return {
    cert,
    key,
    names,
    validFromMs: Date.parse(parsed.validFrom),
    validUntilMs: Date.parse(parsed.validTo),
    authority: authority === null ? null : authorityOf(authority),
  };
}

function authorityOf(pem: string): OwnAuthority {
  const { fingerprint256, validFrom } = new X509Certificate(pem);
  // SHA-256 is what browsers and telephones show.
  return { pem, fingerprint: fingerprint256, validFromMs: Date.parse(validFrom) };
}
