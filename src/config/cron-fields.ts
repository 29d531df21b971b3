import cron from "node-cron";

interface CronField {
  readonly name: string;
  readonly allowed: string;
}

const FIELDS: readonly CronField[] = [
  { name: "minute", allowed: "0 to 59" },
  { name: "hour", allowed: "0 to 23" },
  { name: "day of the month", allowed: "1 to 31" },
  { name: "month", allowed: "1 to 12, or a name such as jan" },
  { name: "day of the week", allowed: "0 to 7, or a name such as mon" },
];

/** node-cron accepts seconds as a sixth field, before the others. */
const WITH_SECONDS: readonly CronField[] = [{ name: "second", allowed: "0 to 59" }, ...FIELDS];

const EXAMPLE = 'Use five fields such as "*/5 * * * *"';

/** What is wrong with a cron expression, with its first wrong field and the remedy; undefined if it is valid. */
export function cronProblem(expression: string): string | undefined {
  if (cron.validate(expression)) return undefined;
  const shown = JSON.stringify(expression);
  const parts = expression.trim().split(/\s+/);
  const fields = [FIELDS, WITH_SECONDS].find(({ length }) => length === parts.length);
  if (!fields) return `${shown} is not a cron expression. ${EXAMPLE}`;
  // Each field alone, with every other one open, shows which one is wrong.
  const wrong = parts.findIndex(
    (part, index) => !cron.validate(fields.map((_, at) => (at === index ? part : "*")).join(" ")),
  );
  const [field, part] = [fields[wrong], parts[wrong]];
  if (!field || part === undefined) return `${shown} never runs: no month has such a day. ${EXAMPLE}`;
  return `${shown} is not a cron expression: the ${field.name} ${part} is invalid. Use ${field.allowed}`;
}
