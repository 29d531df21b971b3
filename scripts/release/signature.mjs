// Signatures of gpg at the time of a release, so that the same bytes and the same key always give the same signature.
import { execFileSync, spawnSync } from "node:child_process";
import { resolve } from "node:path";

/**
 * Signs a file with SHA-256.
 * @param key of the gpg key ring: an identifier, a fingerprint or an address
 * @param epochS time of the signature, in seconds since 1970
 * @param how options of gpg, such as `--clearsign`
 * @returns the signature
 * @throws if gpg cannot sign, for instance with a key that is newer than the release
 */
export function signatureOf(path, key, epochS, ...how) {
  return gpg(epochS, "--local-user", key, "--digest-algo", "SHA256", ...how, "--output", "-", path);
}

/** The public half of a key. @throws if the key ring does not have it */
export function publicKeyOf(key, epochS) {
  const exported = gpg(epochS, "--export", key);
  if (exported.length === 0) throw new Error(`gpg has no key ${key}`);
  return exported;
}

/**
 * Why a key cannot sign at this time; undefined if it can. Signs nothing, because what an export of the public half does not
 * show are a missing secret half, a key that is newer than the release, and one that has expired.
 */
export function keyFaultOf(key, epochS) {
  try {
    publicKeyOf(key, epochS);
    signatureOf("/dev/null", key, epochS, "--detach-sign");
    return undefined;
  } catch (error) {
    return error.message;
  }
}

/** Why machines cannot be given the public half of a key; undefined if they can. */
export function publicKeyFaultOf(key, epochS) {
  try {
    publicKeyOf(key, epochS);
    return undefined;
  } catch (error) {
    return error.message;
  }
}

/** Fingerprint of the key that has made a signature; undefined if it is not valid or of no key of the key ring (a path). */
export function signerOf(keyRing, signature, path) {
  const ring = ["--no-default-keyring", "--keyring", resolve(keyRing), "--trust-model", "always"];
  const words = ["--batch", "--quiet", ...ring, "--status-fd", "1", "--verify", signature, path];
  const { stdout } = spawnSync("gpg", words, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  // The last word is the primary key.
  return /^\[GNUPG:\] VALIDSIG .* ([0-9A-F]+)$/m.exec(stdout ?? "")?.[1];
}

/** Runs gpg at the time of the release. @returns its output, as bytes */
function gpg(epochS, ...words) {
  try {
    return execFileSync("gpg", ["--batch", "--quiet", "--faked-system-time", `${epochS}!`, ...words], {
      stdio: ["ignore", "pipe", "pipe"],
    });
  } catch (error) {
    // A key that is newer than the commit is refused by gpg itself.
    throw new Error(`gpg cannot sign with this key: ${String(error.stderr ?? error.message).trim()}`, {
      cause: error,
    });
  }
}
