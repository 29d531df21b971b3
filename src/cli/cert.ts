import type { Config } from "../config/config.ts";
import { certificateFromFiles, ownCertificate } from "../ops/certificates.ts";
import { hostOf } from "../ops/host.ts";
import { prepareDataDir } from "../ops/secrets.ts";
import { SystemClock } from "../ops/system-clock.ts";
import type { Terminal } from "./terminal.ts";

/** Shows the certificate of the local API; creates the certificate authority, the certificate and the keys if missing. */
export async function cert(
  config: Config,
  { renew, ca, json }: { renew: boolean; ca: boolean; json: boolean },
  { stdout, stderr }: Terminal,
): Promise<void> {
  const { dataDir, http } = config;
  prepareDataDir(dataDir);
  const clock = new SystemClock();
  const isClockTrusted = hostOf(clock, () => "").time.isTrusted();
  const certificate =
    http.tls.mode === "files"
      ? certificateFromFiles(http.tls.certFile, http.tls.keyFile)
      : await ownCertificate(dataDir, { names: http.hosts, nowMs: clock.wallMs(), isClockTrusted, renew });
  const { authority, names, validUntilMs } = certificate;
  if (ca) {
    stdout.write(authority?.pem ?? certificate.cert);
    return;
  }
  const validUntil = new Date(validUntilMs).toISOString();
  const own = authority ? { file: `${dataDir}/tls/ca.crt`, fingerprint: authority.fingerprint } : null;
  const lines = [
    `names: ${names.join(", ")}`,
    `valid until: ${validUntil}`,
    ...(own ? [`authority: ${own.file}`, `fingerprint (SHA-256): ${own.fingerprint}`] : []),
  ];
  const answer = { names, validUntil, authority: own, tls: http.tls.mode };
  stdout.write(json ? `${JSON.stringify(answer, null, 2)}\n` : `${lines.join("\n")}\n`);
  if (http.tls.mode === "off")
    stderr.write("http.tls is off; set http.tls: own in the configuration to use this certificate\n");
}
