import type { Config } from "../config/config.ts";
import { certificateFromFiles, ownCertificate } from "../ops/certificates.ts";
import { prepareDataDir } from "../ops/secrets.ts";
import { SystemClock } from "../ops/system-clock.ts";
import type { Terminal } from "./terminal.ts";

/** Shows the certificate of the local API and makes what is missing: the authority, the certificate, both keys. */
export async function cert(
  config: Config,
  { renew, ca }: { renew: boolean; ca: boolean },
  { stdout, stderr }: Terminal,
): Promise<void> {
  const { dataDir, http } = config;
  prepareDataDir(dataDir);
  const certificate =
    http.tls.mode === "files"
      ? certificateFromFiles(http.tls.certFile, http.tls.keyFile)
      : await ownCertificate(dataDir, { names: http.hosts, nowMs: new SystemClock().wallMs(), renew });
  const { authority, names, validUntilMs } = certificate;
  if (ca) {
    stdout.write(authority?.pem ?? certificate.cert);
    return;
  }
  stdout.write(
    [
      `names: ${names.join(", ")}`,
      `valid until: ${new Date(validUntilMs).toISOString()}`,
      ...(authority
        ? [`authority: ${dataDir}/tls/ca.crt`, `fingerprint (SHA-256): ${authority.fingerprint}`]
        : []),
      "",
    ].join("\n"),
  );
  if (http.tls.mode === "off")
    stderr.write("http.tls is off; write tls: own into the configuration to use this certificate\n");
}
