import { canonical } from "../domain/zone-changes.ts";
import { documentOf, plainOf } from "./zone-edits.ts";
import { cannotEdit } from "./zones-source.ts";

/** The section `upstream` of a site that has been enrolled. */
interface UpstreamSection {
  readonly baseUrl: string;
  readonly email: string;
  readonly passwordFile: string;
  readonly caFile?: string;
}

/** The comment that a generated configuration has in place of the section (generated-config.ts). */
const NO_UPSTREAM = /^# upstream: none \(standalone\)$/m;

/**
 * The text with a dispatch centre, which it must not have yet. All else stays as it is, to the byte.
 * @throws AppError `conflict` if it has one, is invalid or has a form that a program should not change
 */
export function withUpstream(text: string, section: UpstreamSection): string {
  const before: unknown = plainOf(documentOf(text));
  const options = before ?? {};
  if (typeof options !== "object" || Array.isArray(options)) throw cannotEdit("it is not a list of options");
  if (Object.hasOwn(options, "upstream")) throw cannotEdit("it has a dispatch centre");
  const lines = Object.entries(section).map(([name, value]) => `  ${name}: ${JSON.stringify(value)}`);
  const added = ["upstream:", ...lines].join("\n");
  const separator = text === "" || text.endsWith("\n") ? "" : "\n";
  const result = NO_UPSTREAM.test(text)
    ? text.replace(NO_UPSTREAM, () => added)
    : `${text}${separator}${added}\n`;
  // What was written must be what was meant, whatever the form of the file.
  if (canonical(plainOf(documentOf(result))) !== canonical({ ...options, upstream: { ...section } }))
    throw cannotEdit("its form is unusual");
  return result;
}
