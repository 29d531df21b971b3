import { CONTENDERS, type ContenderName } from "./contenders/contender.ts";
import { FIGURES, type FigureName } from "./figures.ts";
import { goalResults, type Goal } from "./goals.ts";
import { meaningOf } from "./profile-meanings.ts";
import type { Result } from "./result.ts";
import { median, ratio, spread } from "./statistics.ts";

/** A result as Markdown: machine, goals, figures, and profiles. */
export function tablesOf(result: Result): string {
  return [machineText(result), goalTable(result), figureTable(result), ...profileTables(result)].join("\n\n");
}

function machineText({ startedAt, minutes, quick, machine, load, measured, missing }: Result): string {
  const { processor, cores, memoryMb, kernel, node } = machine;
  const noise = measured
    .filter(({ contender, figure }) => contender === "machine" && (figure === "flush" || figure === "work"))
    .map(
      ({ figure, values }) =>
        `${FIGURES[figure].title} ${round(median(values))} ms (spread ${percent(spread(values))})`,
    );
  return [
    `Measured ${startedAt.replace("T", " ").replace("Z", " UTC")} in ${Math.round(minutes)} minutes${quick ? ", **a quick run**: its figures are approximate" : ""}.`,
    "",
    `- Machine: ${processor}, ${cores} ${cores === 1 ? "core" : "cores"}, ${Math.round(memoryMb / 1024)} GB, Linux ${kernel}, Node.js ${node}.`,
    `- Load of a minute before the run ${round(load.before)}, after it ${round(load.after)}.`,
    ...(noise.length === 0 ? [] : [`- Noise of the machine alone: ${noise.join("; ")}.`]),
    ...missing.map(({ contender, reason }) => `- Not measured: ${contender} (${reason}).`),
  ].join("\n");
}

function goalTable({ measured }: Result): string {
  const rows = goalResults(measured).map(({ goal, value, isMet }) => [
    FIGURES[goal.of].title,
    goalText(goal),
    value === undefined ? "not measured" : valueText(goal, value),
    isMet === undefined ? "" : isMet ? "met" : "**not met**",
  ]);
  return `### Goals\n\n${table(["figure", "goal", "measured", ""], rows)}`;
}

function goalText({ of, to, atLeast, atMost }: Goal): string {
  const bound = atLeast === undefined ? `≤ ${atMost ?? ""}` : `≥ ${atLeast}`;
  if (!to) return `${bound} ${FIGURES[of].unit}`.trim();
  const other = to.figure === of ? to.contender : FIGURES[to.figure].title;
  return `${bound} × ${other}`;
}

function valueText({ of, to }: Goal, value: number): string {
  return to ? `${round(value)} ×` : `${round(value)} ${FIGURES[of].unit}`.trim();
}

function figureTable({ measured }: Result): string {
  const parts = Object.entries(FIGURES).flatMap(([name, { title, unit }]) => {
    const entries = measured.filter(({ figure }) => figure === name);
    if (entries.length === 0) return [];
    const own = entries.find(({ contender }) => contender === "santinela")?.values;
    const rows = entries.map(({ contender, values }) => [
      contender,
      round(median(values)),
      percent(spread(values)),
      own && contender !== "santinela" ? ratioText(ratio(own, values)) : "",
    ]);
    const heading = unit === "" ? title : `${title}, ${unit}`;
    return [`**${heading}**\n\n${table(["", "median", "spread", "Santinela is"], rows)}`];
  });
  const who = (Object.keys(CONTENDERS) as ContenderName[])
    .filter((name) => measured.some(({ contender }) => contender === name))
    .map((name) => `- \`${name}\`: ${CONTENDERS[name]}`);
  return `### Figures\n\n${who.join("\n")}\n\n${parts.join("\n\n")}`;
}

function profileTables({ profiles = [] }: Result): string[] {
  return profiles.map(
    ({ load, heaviest }) =>
      `### Where the time goes: ${load}\n\n${table(
        ["own time", "purpose", "function", "place"],
        heaviest.map((heavy) => {
          const { name, place, share } = heavy;
          return [percent(share), meaningOf(heavy), `\`${name}\``, `\`${place}\``];
        }),
      )}`,
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

function ratioText(value: number | undefined): string {
  return value === undefined ? "" : `${round(value)} ×`;
}

/** Three significant digits: 12,345 · 123 · 12.3 · 1.23. */
export function round(value: number): string {
  const size = Math.abs(value);
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : 2;
  return Number(value.toFixed(digits)).toLocaleString("en-US", { maximumFractionDigits: digits });
}

function percent(part: number): string {
  return `${Math.round(part * 100)} %`;
}

/** Lines for a terminal: each goal with its state. */
export function goalLines({ measured }: Result): string[] {
  return goalResults(measured)
    .filter(({ value }) => value !== undefined)
    .map(
      ({ goal, value = 0, isMet }) =>
        `${isMet === true ? "met    " : "NOT met"}  ${FIGURES[goal.of].title}: ${valueText(goal, value)} (goal ${goalText(goal)})`,
    );
}

/** Lines for a terminal: each figure of each contender, with the product's ratio to it. */
export function figureLines({ measured }: Result): string[] {
  return (Object.keys(FIGURES) as FigureName[]).flatMap((name) => {
    const { title, unit } = FIGURES[name];
    const entries = measured.filter(({ figure }) => figure === name);
    const own = entries.find(({ contender }) => contender === "santinela")?.values;
    return entries.map(({ contender, values }) => {
      const compared = own && contender !== "santinela" ? ratioText(ratio(own, values)) : "";
      return [
        `${title}  ${contender}  ${round(median(values))} ${unit}  (spread ${percent(spread(values))})`,
        ...(compared === "" ? [] : [`Santinela is ${compared}`]),
      ].join("  ");
    });
  });
}
