import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { createPrivateKey, X509Certificate, type webcrypto } from "node:crypto";
import type * as X509 from "@peculiar/x509";
import { AppError, messageOf } from "../domain/errors.ts";
import { renameDurably } from "../store/durable-files.ts";
import {
  encoded,
  isAddress,
  NAME_CONSTRAINTS,
  permits,
  permittedBy,
  permittedFor,
} from "./name-constraints.ts";

/** Paths of the PEM files. */
export interface CertificatePaths {
  readonly authority: string;
  readonly authorityKey: string;
  readonly server: string;
  readonly serverKey: string;
}

const DAY_MS = 86_400_000;
const AUTHORITY_DAYS = 20 * 365;
/** Apple devices reject more than 825 days, even from a user-installed certificate authority. */
const SERVER_DAYS = 800;
const ECDSA = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/**
 * Writes a new server certificate and key, signed by the installation's certificate authority, which is created if
 * missing. Names that the authority may not certify are left out: clients reject the whole certificate for one of them.
 * @param options `clockMs`: start of validity, milliseconds since 1970; `withNewAuthority` replaces the authority
 * @throws AppError `configuration` if the files of the authority are invalid
 */
export async function signCertificate(
  paths: CertificatePaths,
  wantedNames: readonly string[],
  { clockMs, withNewAuthority }: { readonly clockMs: number; readonly withNewAuthority: boolean },
): Promise<void> {
  // Imported on demand: the library is large, and a certificate is created every two years.
  await import("reflect-metadata");
  const x509 = await import("@peculiar/x509");
  const authority = await (withNewAuthority ? createAuthority : authorityOf)(
    { paths, clockMs, names: wantedNames },
    x509,
  );
  const permitted = permittedBy(authority.certificate.toString("pem"));
  const names = wantedNames.filter((name) => permits(permitted, name));
  const keys = await crypto.subtle.generateKey(ECDSA, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.create({
    subject: `CN=${names[0]?.replaceAll(/[^a-z0-9.-]/g, "") ?? "santinela"}`,
    issuer: authority.certificate.subject,
    notBefore: new Date(clockMs - DAY_MS),
    notAfter: new Date(clockMs + SERVER_DAYS * DAY_MS),
    signingKey: authority.privateKey,
    publicKey: keys.publicKey,
    signingAlgorithm: ECDSA,
    extensions: [
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isAddress(value) ? "ip" : "dns", value })),
      ),
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      await x509.AuthorityKeyIdentifierExtension.create(authority.certificate.publicKey),
    ],
  });
  const key = await privateKeyPem(keys.privateKey, x509);
  write(paths.serverKey, key, 0o600);
  write(paths.server, `${certificate.toString("pem")}\n`, 0o644);
}

interface Authority {
  readonly certificate: X509.X509Certificate;
  readonly privateKey: webcrypto.CryptoKey;
}

interface AuthorityOptions {
  readonly paths: CertificatePaths;
  readonly clockMs: number;
  /** Names that a new authority may certify besides local ones. */
  readonly names: readonly string[];
}

async function authorityOf(options: AuthorityOptions, x509: typeof X509): Promise<Authority> {
  const { paths } = options;
  let pem: string;
  let keyPem: string;
  try {
    pem = readFileSync(paths.authority, "utf8");
    keyPem = readFileSync(paths.authorityKey, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause;
    return createAuthority(options, x509);
  }
  try {
    // A power cut while the authority was replaced has left the new key; no device trusts its certificate yet.
    if (!new X509Certificate(pem).checkPrivateKey(createPrivateKey(keyPem)))
      return await createAuthority(options, x509);
    const [der] = x509.PemConverter.decode(keyPem);
    const privateKey = await crypto.subtle.importKey("pkcs8", der ?? new ArrayBuffer(0), ECDSA, true, [
      "sign",
    ]);
    return { certificate: new x509.X509Certificate(pem), privateKey };
  } catch (cause) {
    throw new AppError(
      "configuration",
      `${paths.authorityKey} or ${paths.authority} is invalid: ${messageOf(cause)}`,
      {
        hint: "Delete both. A new certificate authority is created; install it on every device that trusts the old one.",
        cause,
      },
    );
  }
}

async function createAuthority(
  { paths, clockMs, names }: AuthorityOptions,
  x509: typeof X509,
): Promise<Authority> {
  const keys = await crypto.subtle.generateKey(ECDSA, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=Santinela local CA ${hostname().replaceAll(/[^A-Za-z0-9.-]/g, "")}`,
    notBefore: new Date(clockMs - DAY_MS),
    notAfter: new Date(clockMs + AUTHORITY_DAYS * DAY_MS),
    signingAlgorithm: ECDSA,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      // A copy of the key is of no use for other names on the devices that trust this authority.
      new x509.Extension(NAME_CONSTRAINTS, true, encoded(permittedFor(names))),
    ],
  });
  write(paths.authorityKey, await privateKeyPem(keys.privateKey, x509), 0o600);
  write(paths.authority, `${certificate.toString("pem")}\n`, 0o644);
  return { certificate, privateKey: keys.privateKey };
}

async function privateKeyPem(key: webcrypto.CryptoKey, x509: typeof X509): Promise<string> {
  return `${x509.PemConverter.encode(await crypto.subtle.exportKey("pkcs8", key), "PRIVATE KEY")}\n`;
}

/** Writes a file atomically, also in a power cut. */
function write(path: string, text: string, mode: number): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(`${path}.part`, text, { mode });
  renameDurably(`${path}.part`, path);
}
