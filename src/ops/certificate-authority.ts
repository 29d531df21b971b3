import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { createPrivateKey, X509Certificate, type webcrypto } from "node:crypto";
import type * as X509 from "@peculiar/x509";
import { flush, renameDurably } from "../store/durable-files.ts";
import { setAside } from "./damaged-files.ts";
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

/** PEM texts of a new certificate. */
export interface SignedCertificate {
  readonly authority: string;
  readonly cert: string;
  readonly key: string;
  /** Stores it, with the authority if that is new. A full disk changes nothing. */
  readonly write: () => void;
}

interface SigningOptions {
  /** Start of validity, milliseconds since 1970. */
  readonly clockMs: number;
  /** Replaces the authority. */
  readonly withNewAuthority: boolean;
}

/**
 * Creates a server certificate and key, signed by the installation's certificate authority, which is created if missing or
 * damaged. Names that the authority may not certify are left out: clients reject the whole certificate for one of them.
 */
export async function signCertificate(
  paths: CertificatePaths,
  wantedNames: readonly string[],
  { clockMs, withNewAuthority }: SigningOptions,
): Promise<SignedCertificate> {
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
  const cert = `${certificate.toString("pem")}\n`;
  const files: NewFile[] = [
    ...authority.files,
    { path: paths.serverKey, text: key, mode: 0o600 },
    { path: paths.server, text: cert, mode: 0o644 },
  ];
  return {
    authority: authority.pem,
    cert,
    key,
    write: () => writeAll(files, authority.damaged),
  };
}

interface NewFile {
  readonly path: string;
  readonly text: string;
  readonly mode: number;
}

interface Authority {
  readonly certificate: X509.X509Certificate;
  readonly privateKey: webcrypto.CryptoKey;
  readonly pem: string;
  /** Its files, if it is new. */
  readonly files: readonly NewFile[];
  /** Paths of the damaged files that it replaces. */
  readonly damaged: readonly string[];
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
    return {
      certificate: new x509.X509Certificate(pem),
      privateKey,
      pem,
      files: [],
      damaged: [],
    };
  } catch {
    // Neither can be used without the other.
    return {
      ...(await createAuthority(options, x509)),
      damaged: [paths.authorityKey, paths.authority],
    };
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
  const pem = `${certificate.toString("pem")}\n`;
  const files: NewFile[] = [
    {
      path: paths.authorityKey,
      text: await privateKeyPem(keys.privateKey, x509),
      mode: 0o600,
    },
    { path: paths.authority, text: pem, mode: 0o644 },
  ];
  return { certificate, privateKey: keys.privateKey, pem, files, damaged: [] };
}

async function privateKeyPem(key: webcrypto.CryptoKey, x509: typeof X509): Promise<string> {
  return `${x509.PemConverter.encode(await crypto.subtle.exportKey("pkcs8", key), "PRIVATE KEY")}\n`;
}

/**
 * Writes each file atomically, also in a power cut. All have their space before the first one is replaced: a key without its
 * certificate would make the present certificate unusable.
 */
function writeAll(files: readonly NewFile[], damaged: readonly string[]): void {
  try {
    for (const { path, text, mode } of files) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      writeFileSync(`${path}.part`, text, { mode });
      flush(`${path}.part`);
    }
  } catch (error) {
    for (const { path } of files) rmSync(`${path}.part`, { force: true });
    throw error;
  }
  damaged.forEach(setAside);
  for (const { path } of files) renameDurably(`${path}.part`, path);
}
