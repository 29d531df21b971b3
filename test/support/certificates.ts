import type { webcrypto } from "node:crypto";
import "reflect-metadata";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  BasicConstraintsExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";

const ECDSA = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

export interface KeyPairPem {
  readonly cert: string;
  readonly key: string;
}

/** A test authority and its certificates, as PEM and as files. */
export class TestAuthority {
  readonly ca: string;
  readonly #folder = mkdtempSync(join(tmpdir(), "santinela-certificates-"));
  readonly #keys: webcrypto.CryptoKeyPair;

  private constructor(ca: string, keys: webcrypto.CryptoKeyPair) {
    this.ca = ca;
    this.#keys = keys;
  }

  static async make(): Promise<TestAuthority> {
    const keys = await newKeys();
    const ca = await X509CertificateGenerator.createSelfSigned({
      name: "CN=Test authority",
      keys,
      signingAlgorithm: ECDSA,
      extensions: [new BasicConstraintsExtension(true, undefined, true)],
    });
    return new TestAuthority(ca.toString("pem"), keys);
  }

  /** @param name subject: an address for a server, a user name for a client */
  async sign(name: string): Promise<KeyPairPem> {
    const keys = await newKeys();
    const certificate = await X509CertificateGenerator.create({
      subject: `CN=${name}`,
      issuer: "CN=Test authority",
      publicKey: keys.publicKey,
      signingKey: this.#keys.privateKey,
      signingAlgorithm: ECDSA,
      extensions: [
        new SubjectAlternativeNameExtension([{ type: /^[\d.]+$/.test(name) ? "ip" : "dns", value: name }]),
      ],
    });
    const key = await crypto.subtle.exportKey("pkcs8", keys.privateKey);
    return { cert: certificate.toString("pem"), key: PemConverter.encode(key, "PRIVATE KEY") };
  }

  /** @returns path of a file with this text */
  file(name: string, text: string): string {
    const path = join(this.#folder, name);
    writeFileSync(path, `${text}\n`, { mode: 0o600 });
    return path;
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return crypto.subtle.generateKey(ECDSA, true, ["sign", "verify"]);
}
