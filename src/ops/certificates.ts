import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { createSecureContext } from "node:tls";
import { FILE_BYTES_MAX, readBounded } from "../config/bounded-file.ts";
import { AppError, messageOf } from "../domain/errors.ts";
import { signCertificate, type CertificatePaths } from "./certificate-authority.ts";
import { permits, permittedBy } from "./name-constraints.ts";
import { lanAddresses, LOCAL_NAME } from "./panel-address.ts";

/** A TLS server certificate with its key. */
export interface ServerCertificate {
  /** PEM of the server certificate and its issuers. */
  readonly cert: string;
  readonly key: string;
  /** Names and addresses of the certificate. */
  readonly names: readonly string[];
  /** Wanted names that the authority may not certify. */
  readonly leftOut: readonly string[];
  /** Milliseconds since 1970. */
  readonly validFromMs: number;
  readonly validUntilMs: number;
  /** The installation's certificate authority, which clients must trust. Null for certificates from files. */
  readonly authority: OwnAuthority | null;
}

export interface OwnAuthority {
  readonly pem: string;
  readonly fingerprint: string;
  /** Milliseconds since 1970. */
  readonly validFromMs: number;
}

interface OwnCertificateOptions {
  /** Additional names besides those of this machine. */
  readonly names: readonly string[];
  readonly nowMs: number;
  /** Whether the clock is trusted; an untrusted one never replaces the authority. */
  readonly isClockTrusted: boolean;
  /** Creates a new certificate in any case. */
  readonly renew?: boolean;
  /** Creates a new authority in any case, for all names. */
  readonly withNewAuthority?: boolean;
}

/** Earlier times are wrong: a device without a real-time clock starts in the past. */
const EARLIEST_MS = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;
const RENEW_BEFORE_DAYS = 60;

/**
 * The installation's certificate, signed by its own certificate authority. Both are created at first use. The
 * certificate is renewed if a name is missing or it expires soon. The authority is replaced only if it was created
 * while the clock was in the future: no device with the right time accepts it. Names that it may not certify are left out.
 * A damaged authority is set aside and created again.
 * @throws AppError `cannot-create` if the directory is not writable
 */
export async function ownCertificate(
  dataDir: string,
  { names, nowMs, isClockTrusted, renew = false, withNewAuthority = false }: OwnCertificateOptions,
): Promise<ServerCertificate> {
  const paths = pathsOf(dataDir);
  const wanted = wantedNames(names);
  const clockMs = Math.max(nowMs, EARLIEST_MS);
  try {
    const present = presentCertificate(paths, wanted);
    const isFromFuture = isClockTrusted && (present?.authority?.validFromMs ?? 0) > clockMs;
    const isAuthorityUsable = !isFromFuture && !withNewAuthority;
    if (present && !renew && isAuthorityUsable && fits(present, wanted, clockMs)) return present;
    const signed = await signCertificate(paths, wanted, { clockMs, withNewAuthority: !isAuthorityUsable });
    signed.write();
    const created = presentCertificate(paths, wanted);
    if (!created) throw new Error("the files that were just written cannot be read");
    return created;
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError("cannot-create", `cannot create the certificate in ${dataDir}: ${messageOf(cause)}`, {
      hint: "Check that this user may write to the directory.",
      cause,
    });
  }
}

/**
 * A certificate that is not stored, for a disk that cannot be read or written. If the authority of the installation can be
 * used, it has signed it, so that devices accept it.
 */
export async function temporaryCertificate(
  dataDir: string,
  { names, nowMs }: Pick<OwnCertificateOptions, "names" | "nowMs">,
): Promise<ServerCertificate> {
  const wanted = wantedNames(names);
  const create = (withNewAuthority: boolean) =>
    signCertificate(pathsOf(dataDir), wanted, {
      clockMs: Math.max(nowMs, EARLIEST_MS),
      withNewAuthority,
    });
  const { cert, key, authority } = await create(false).catch(() => create(true));
  return described(cert, key, authority, wanted);
}

/**
 * Loads a certificate from files of at most FILE_BYTES_MAX.
 * @throws AppError `configuration` if the files cannot be read, are too large or do not match
 */
export function certificateFromFiles(certFile: string, keyFile: string): ServerCertificate {
  try {
    // A wrong path such as /dev/zero must not fill the memory.
    const cert = readBounded(certFile, FILE_BYTES_MAX);
    const key = readBounded(keyFile, FILE_BYTES_MAX);
    assertPair(cert, key);
    return described(cert, key, null, []);
  } catch (cause) {
    throw new AppError("configuration", `cannot use ${certFile} and ${keyFile}: ${messageOf(cause)}`, {
      hint: "http.tls needs a PEM certificate, followed by its issuers, and its PEM key.",
      cause,
    });
  }
}

/** The installation's present certificate; undefined if there is none. */
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

/** Names and addresses of this machine on the LAN. IPv6 addresses change and are left out. */
function namesOfThisMachine(): string[] {
  const own = hostname().toLowerCase();
  const [first = own] = own.split(".");
  return [own, `${first}.local`, LOCAL_NAME, "localhost", ...lanAddresses(), "127.0.0.1", "::1"];
}

function wantedNames(names: readonly string[]): readonly string[] {
  return [...new Set([...namesOfThisMachine(), ...names.map((name) => name.toLowerCase())])];
}

function presentCertificate(
  paths: CertificatePaths,
  wanted: readonly string[] = [],
): ServerCertificate | undefined {
  try {
    const [cert, key, authority] = [paths.server, paths.serverKey, paths.authority].map((path) =>
      readFileSync(path, "utf8"),
    ) as [string, string, string];
    assertPair(cert, key);
    const isSigned = new X509Certificate(cert).verify(new X509Certificate(authority).publicKey);
    return isSigned ? described(cert, key, authority, wanted) : undefined;
  } catch {
    // Missing, or left incomplete or of two renewals by a power cut: a new one is created.
    return undefined;
  }
}

/** @throws Error for a pair with which no server could start, such as a key of another certificate */
function assertPair(cert: string, key: string): void {
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))
    throw new Error("the key is that of another certificate");
  createSecureContext({ cert, key });
}

function fits(present: ServerCertificate, wanted: readonly string[], clockMs: number): boolean {
  const daysLeft = (present.validUntilMs - clockMs) / DAY_MS;
  const have = new Set([...present.names, ...present.leftOut]);
  return (
    present.validFromMs <= clockMs && daysLeft > RENEW_BEFORE_DAYS && wanted.every((name) => have.has(name))
  );
}

function described(
  cert: string,
  key: string,
  authority: string | null,
  wanted: readonly string[],
): ServerCertificate {
  const parsed = new X509Certificate(cert);
  const permitted = authority === null ? undefined : permittedBy(authority);
  const names = (parsed.subjectAltName ?? "")
    .split(", ")
    .map((entry) => entry.replace(/^(DNS|IP Address):/, "").replace(/^0:0:0:0:0:0:0:1$/, "::1"));
  return {
    cert,
    key,
    names,
    leftOut: wanted.filter((name) => !permits(permitted, name)),
    validFromMs: Date.parse(parsed.validFrom),
    validUntilMs: Date.parse(parsed.validTo),
    authority: authority === null ? null : authorityOf(authority),
  };
}

function authorityOf(pem: string): OwnAuthority {
  const { fingerprint256, validFrom } = new X509Certificate(pem);
  // SHA-256, as shown by browsers and phones.
  return { pem, fingerprint: fingerprint256, validFromMs: Date.parse(validFrom) };
}
