import { createHash } from "node:crypto";
import { ApiClient, type Reply } from "../client/api-client.ts";
import { parseJson } from "../client/json-answer.ts";
import { AppError } from "../domain/errors.ts";
import { plainCode } from "../domain/one-time-code.ts";
import { foreignName, plainLine } from "../domain/single-line.ts";
import type { EnrolledSite, EnrolmentClaim } from "../generated/types.ts";
import { validateEnrolledSite } from "../generated/validators.js";

const TIMEOUT_MS = 20_000;
/** Seconds that a centre waits after too many wrong codes, if it names no other time. */
const RETRY_S = 900;
const RETRY_S_MAX = 86_400;
/** The longest message of a centre is a sentence with its remedy. */
const MESSAGE_LENGTH_MAX = 300;
/** RFC 5321, 4.5.3.1.3. */
const EMAIL_LENGTH_MAX = 254;
/** That of the API. */
const PASSWORD_LENGTH_MIN = 20;

/** A request without a response. */
type Failure = Exclude<Reply, { readonly kind: "answered" }>;

/** The dispatch centre that a site asks for an account. */
interface AskedCentre {
  /** Its base URL. */
  readonly centre: string;
  /** PEM of its certificate authority; undefined for the public ones. */
  readonly ca: string | undefined;
  /** Remedies, in the words of the command line or of the web panel. */
  readonly hints: { readonly unanswered: string; readonly refused: string; readonly foreign: string };
}

/** A password that has been sent, or is about to be; kept on the disk for a repetition after a lost response. */
interface SentPassword {
  /** Names the centre and the code: another centre must not learn the password. */
  readonly of: string;
  readonly password: string;
  /** Whether the site takes the reference of the code. */
  readonly takesReference: boolean;
}

/** Sent passwords that are kept, so that a mistyped code or address in between does not lose that of the right one. */
const SENT_MAX = 10;

/**
 * The password for a claim: that of an earlier attempt at this centre with this code, however both are typed, or a new one.
 * @param earlier the parsed file of the earlier attempts; undefined without one
 * @param takesReference whether the site takes the reference of the code; that of an earlier attempt which did counts as well
 * @param newPassword creates one with at least 100 random bits
 * @returns the password, and the text of the file to write before it is sent
 */
export function passwordFor(
  { centre, code }: { readonly centre: string; readonly code: string },
  earlier: unknown,
  takesReference: boolean,
  newPassword: () => string,
): { readonly sent: SentPassword; readonly text: string } {
  const of = createHash("sha256")
    .update(`${plainAddress(centre)} ${plainCode(code)}`)
    .digest("hex");
  const kept = sentIn(earlier);
  const known = kept.find((one) => one.of === of);
  const sent = known
    ? { ...known, takesReference: takesReference || known.takesReference }
    : { of, password: newPassword(), takesReference };
  const others = kept.filter((one) => one.of !== of);
  return { sent, text: JSON.stringify({ sent: [sent, ...others].slice(0, SENT_MAX) }) };
}

function sentIn(file: unknown): SentPassword[] {
  const { sent } = (file ?? {}) as { readonly sent?: unknown };
  if (!Array.isArray(sent)) return [];
  return (sent as readonly (Partial<SentPassword> | null)[]).flatMap((one) => {
    const { of, password, takesReference: took } = one ?? {};
    const isUsable = typeof password === "string" && password.length >= PASSWORD_LENGTH_MIN;
    return typeof of === "string" && isUsable ? [{ of, password, takesReference: took === true }] : [];
  });
}

/** The address of a centre in one way of writing. */
function plainAddress(centre: string): string {
  return (URL.canParse(centre) ? new URL(centre).href : centre).replace(/\/+$/, "");
}

/** @throws AppError `usage` for what cannot be the base URL of a dispatch centre */
export function assertCentreAddress(centre: string): void {
  if (/^https?:\/\/[^/]*@/.test(centre))
    throw new AppError("usage", "the address of a dispatch centre must not contain a user name or password", {
      hint: "Use its base URL alone: the one-time code is the authentication.",
    });
  if (!/^https?:\/\//.test(centre))
    throw new AppError("usage", `${centre} is not the address of a dispatch centre`, {
      hint: "An address begins with https:// or http://, such as https://dispecerat.example.ro/api.",
    });
  if (!/^https?:\/\/[^\s?#]+$/.test(centre))
    throw new AppError("usage", `${centre} is not the address of a dispatch centre`, {
      hint: "Use its base URL, such as https://dispecerat.example.ro/api.",
    });
}

/**
 * Exchanges a one-time code for the account of a site. The same claim succeeds again for an hour.
 * @throws AppError `forbidden` for an unusable code, `conflict` for a reference that another site has, `busy` after too many wrong ones, `unavailable` without an answer,
 *   `bad-data` for another kind of server
 */
export async function claimAccount(asked: AskedCentre, claim: EnrolmentClaim): Promise<EnrolledSite> {
  const { centre, ca, hints } = asked;
  const client = new ApiClient({ baseUrl: centre, timeoutMs: TIMEOUT_MS, ca });
  const body = JSON.stringify(claim);
  const reply = await client
    .request({ method: "POST", path: "/enrolments/claim", body })
    .finally(() => client.close());
  if (reply.kind !== "answered")
    throw new AppError("unavailable", `no response from ${centre}: ${failureOf(reply)}`, {
      hint: otherScheme(centre, reply) ?? hints.unanswered,
    });
  const answer = parseJson(reply.body);
  const isMine = (site: string): boolean => claim.site === undefined || site === claim.site;
  const isAccount = reply.status === 201 && validateEnrolledSite(answer) && isMine(answer.site);
  if (isAccount && isAddress(answer.email)) return answer;
  throw refusal(asked, reply, answer);
}

/** Without the source position that OpenSSL adds, and on one line. */
function failureOf({ error }: Failure): string {
  const [reason = error] = error.trim().split("\n");
  return reason.replace(/^.*?:SSL routines:[^:]*:([^:]+):.*$/, "TLS: $1");
}

/** The remedy for an address with the scheme of another port; undefined if the scheme is not the reason. */
function otherScheme(centre: string, { code, error }: Failure): string | undefined {
  if (code === "EPROTO" && /wrong version number|packet length too long/.test(error))
    return `The port does not use TLS. Use ${centre.replace(/^https:/, "http:")}.`;
  return undefined;
}

/** It is written into the configuration: a hostile server must not write more than an address. */
function isAddress(email: string): boolean {
  return email.length <= EMAIL_LENGTH_MAX && plainLine(email) === email;
}

/** What the centre says, as one line of readable characters: it is shown in a terminal. */
function saidBy(centre: string, message: string): string {
  return `${centre}: ${foreignName(message, MESSAGE_LENGTH_MAX)}`;
}

function refusal(
  { centre, hints }: AskedCentre,
  { status, headers }: Extract<Reply, { kind: "answered" }>,
  answer: unknown,
): AppError {
  const { message } = (typeof answer === "object" && answer !== null ? answer : {}) as { message?: unknown };
  if (typeof message === "string" && status === 403)
    return new AppError("forbidden", saidBy(centre, message), { hint: hints.refused });
  if (status === 429) {
    const said = headers["retry-after"] ?? "";
    const waitS = /^\d+$/.test(said) ? Math.min(Number(said), RETRY_S_MAX) : RETRY_S;
    return new AppError("busy", `${centre} accepts no further codes for now`, {
      hint: `Try again in ${waitS} seconds.`,
      retryAfterS: waitS,
    });
  }
  // What the centre says has the remedy.
  if (typeof message === "string" && status === 409) return new AppError("conflict", saidBy(centre, message));
  if (typeof message === "string" && (status === 400 || status >= 500))
    return new AppError("unavailable", saidBy(centre, message));
  return new AppError("bad-data", `the server at ${centre} cannot enrol sites (${status})`, {
    hint: hints.foreign,
  });
}
