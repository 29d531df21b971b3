import { DatabaseError } from "pg";

/** Codes of OpenSSL and Node.js for a certificate that no accepted authority has signed. */
const NOT_SIGNED: ReadonlySet<string | undefined> = new Set([
  "CERT_SIGNATURE_FAILURE",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);
/** The text of the client `pg`, which has no code for it. */
const NOT_OFFERED = "The server does not support SSL connections";
/** The text of PostgreSQL for a client without TLS that no rule of pg_hba.conf admits. */
const NOT_ENCRYPTED = /\bno encryption$/;

/** An error of TLS with the option that corrects it; any other error as it is. */
export function explainedTlsError(error: Error): Error {
  const text = explanation(error);
  return text === undefined ? error : new Error(`${text} (${error.message})`, { cause: error });
}

function explanation(error: Error): string | undefined {
  const { code } = error as NodeJS.ErrnoException;
  if (NOT_SIGNED.has(code))
    return "the certificate of PostgreSQL is not signed by the authority in databaseCaFile, or without that option by a public one";
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return "the certificate of PostgreSQL is for another host: write a name of the certificate in database";
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID")
    return "the certificate of PostgreSQL is not valid now: renew it, or correct the clock of this machine";
  if (error.message === NOT_OFFERED)
    return "PostgreSQL does not offer TLS, which databaseCaFile or sslmode in database requires: set ssl = on there";
  if (error instanceof DatabaseError && NOT_ENCRYPTED.test(error.message))
    return "PostgreSQL admits this machine with TLS only, or not at all: set databaseCaFile, or add a rule to its pg_hba.conf";
  return undefined;
}
