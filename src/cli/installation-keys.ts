import { AppError } from "../domain/errors.ts";
import type { Config } from "../config/config.ts";
import { certificateFromFiles, ownCertificate } from "../ops/certificates.ts";
import { isClockTrusted } from "../ops/host.ts";
import type { PostgresSigningKeys } from "../postgres/signing-keys.ts";
import { newKeyText, revokePreviousKey, prepareDataDir, rotateSigningKey } from "../ops/secrets.ts";
import { SystemClock } from "../ops/system-clock.ts";
import { EventService } from "../service/events.ts";
import { isStorageError } from "../store/database.ts";
import type { JsonOption } from "./command-group.ts";
import { assertNotOfRunningRelease, withDatabase } from "./direct-database.ts";
import { localTime } from "./local-time.ts";
import { commandLineActor, jsonText, type Terminal } from "./terminal.ts";

/** Creates a new signing key. The daemon uses it after a restart. */
export async function rotateKey(config: Config, terminal: Terminal): Promise<void> {
  const isShared = await changeKeys(config, terminal, "signing-key-rotated", {
    shared: (keys) => keys.rotate(newKeyText()),
    own: rotateSigningKey,
  });
  const next = isShared ? "all processes sign with it within a minute" : "restart the daemon";
  terminal.stdout.write(
    `created a new signing key; ${next}. Tokens signed with the old key stay valid until it is revoked.\n`,
  );
}

/** Revokes the previous signing key and its tokens. */
export async function revokeKey(config: Config, terminal: Terminal): Promise<void> {
  const isShared = await changeKeys(config, terminal, "signing-key-forgotten", {
    shared: (keys) => keys.revokePrevious(),
    own: revokePreviousKey,
  });
  const next = isShared ? "all processes reject its tokens within ten seconds" : "restart the daemon";
  terminal.stdout.write(`revoked the previous signing key; ${next}\n`);
}

interface KeyChange {
  /** The keys that all processes of a centre share. */
  readonly shared: (keys: PostgresSigningKeys) => Promise<void>;
  /** The files of an installation on SQLite. */
  readonly own: (dataDir: string) => void;
}

/** Changes the keys and notes it in the event log. @returns whether they are shared */
async function changeKeys(
  { database, dataDir }: Config,
  terminal: Terminal,
  event: "signing-key-rotated" | "signing-key-forgotten",
  { shared, own }: KeyChange,
): Promise<boolean> {
  const clock = new SystemClock();
  const entry = { ...commandLineActor(), event, subject: "signing key", detail: {} };
  if (database !== null) {
    const { withMovedCentre } = await import("./shared-database.ts");
    const { PostgresSigningKeys } = await import("../postgres/signing-keys.ts");
    const { PostgresEvents } = await import("../postgres/postgres-events.ts");
    await withMovedCentre({ database, dataDir }, terminal, async (connections) => {
      await shared(new PostgresSigningKeys(connections));
      await new PostgresEvents(connections, clock).add(entry, clock.wallMs());
    });
    return true;
  }
  assertNotOfRunningRelease(dataDir);
  prepareDataDir(dataDir);
  own(dataDir);
  await withDatabase(dataDir, (opened) => new EventService({ database: opened, clock }).record(entry)).catch(
    (error: unknown) => {
      // The key has been changed; a full disk must not make it look otherwise.
      if (!isStorageError(error)) throw error;
    },
  );
  return false;
}

interface CertOptions extends JsonOption {
  readonly renew?: boolean;
  readonly newAuthority?: boolean;
  readonly ca?: boolean;
}

/** Shows the certificate of the local API; creates the certificate authority, the certificate and the keys if missing. */
export async function cert(
  { dataDir, http, site }: Config,
  { stdout, stderr }: Terminal,
  { renew = false, newAuthority = false, ca, json }: CertOptions,
): Promise<void> {
  if (newAuthority && http.tls.mode === "files")
    throw new AppError("configuration", "http.tls uses files: there is no authority to replace", {
      hint: "Replace the files of http.tls.",
    });
  prepareDataDir(dataDir);
  const clock = new SystemClock();
  const certificate =
    http.tls.mode === "files"
      ? certificateFromFiles(http.tls.certFile, http.tls.keyFile)
      : await ownCertificate(dataDir, {
          names: http.hosts,
          nowMs: clock.wallMs(),
          isClockTrusted: await isClockTrusted(clock),
          renew,
          withNewAuthority: newAuthority,
        });
  const { authority, names, leftOut, validUntilMs } = certificate;
  if (ca) {
    stdout.write(authority?.pem ?? certificate.cert);
    return;
  }
  const validUntil = new Date(validUntilMs).toISOString();
  const own = authority ? { file: `${dataDir}/tls/ca.crt`, fingerprint: authority.fingerprint } : null;
  const lines = [
    `names: ${names.join(", ")}`,
    ...(leftOut.length > 0 ? [`not certified by this authority: ${leftOut.join(", ")}`] : []),
    `valid until: ${localTime(validUntil, site.timezone)}`,
    ...(own ? [`authority: ${own.file}`, `fingerprint (SHA-256): ${own.fingerprint}`] : []),
  ];
  const answer = { names, leftOut, validUntil, authority: own, tls: http.tls.mode };
  stdout.write(json ? jsonText(answer) : `${lines.join("\n")}\n`);
  if (http.tls.mode === "off")
    stderr.write("http.tls is off; set http.tls: own in the configuration to use this certificate\n");
}
