import type { Reply } from "../client/api-client.ts";
import { parseJson } from "../client/json-answer.ts";
import { plainLine } from "../domain/single-line.ts";

/* What the body of a response is, before it is known what it means. */

export type Answered = Extract<Reply, { kind: "answered" }>;

/** A success without an HTML page, such as the sign-in page of a public network. */
export function isNotAPage({ status, headers }: Answered): boolean {
  const isPage = /^(?:text\/html|application\/xhtml)\b/i.test(headers["content-type"] ?? "");
  return status >= 200 && status < 300 && !isPage;
}

/** A redirect to one record: it was created. A redirect to a sign-in page leads elsewhere. */
export function leadsToARecord({ status, headers }: Answered): boolean {
  return status >= 300 && status < 400 && /\/interventii\/[^/?#]+$/.test(headers["location"] ?? "");
}

/** Whether an error body has the format of the contract: error, message and statusCode. */
export function isContractError(reply: Answered, value: unknown): boolean {
  if (!isJson(reply)) return false;
  const body = value as Partial<Record<"error" | "message" | "statusCode", unknown>> | null | undefined;
  const { error, message, statusCode } = body ?? {};
  return (
    typeof error === "string" &&
    (typeof message === "string" || Array.isArray(message)) &&
    statusCode === reply.status
  );
}

export function isJson({ headers }: Answered): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(headers["content-type"] ?? "");
}

/** The message of the error body; some servers send a list of them. */
export function reasonOf({ status, body }: Pick<Answered, "status" | "body">): string {
  return reasonIn(status, parseJson(body));
}

/** @param value the parsed body */
export function reasonIn(status: number, value: unknown): string {
  const message = (value as { message?: unknown } | null | undefined)?.message;
  const text = [message]
    .flat()
    .filter((part) => typeof part === "string")
    .join("; ");
  // Shown to users, also in terminals, and the sender is unknown: control characters are removed.
  return `answered ${status}${text ? `: ${plainLine(text.slice(0, 300))}` : ""}`;
}
