import { validateConfiguration } from "../generated/configuration-validator.js";
import { schemaProblems } from "./schema-problems.ts";

/** The problem of one answer, with the pattern and the range of the schema: a later error would lose all answers. */
type AnswerProblem = (answer: string) => string | undefined;

const OBJECTIVE = { type: "obiective/cladiri", id: 1 };
const ZONE = { id: "a", name: "a", kind: "fire", objective: OBJECTIVE, input: { simulated: true } };

export const siteName: AnswerProblem = (name) => problemIn({ site: { name } });
export const siteRef: AnswerProblem = (ref) => problemIn({ site: { ref } });
export const zoneName: AnswerProblem = (name) => problemIn({ zones: [{ ...ZONE, name }] });
export const zoneId: AnswerProblem = (id) => problemIn({ zones: [{ ...ZONE, id }] });
export const zonePath: AnswerProblem = (path) =>
  path === "" ? undefined : problemIn({ zones: [{ ...ZONE, input: { mqtt: "a", open: [1], path } }] });
export const brokerUrl: AnswerProblem = (url) => problemIn({ mqtt: { url } }) ?? address(url);
export const centreUrl: AnswerProblem = (baseUrl) =>
  problemIn({ upstream: { baseUrl, email: "a@b.example", passwordFile: "a" } }) ?? address(baseUrl);
export const gpioLine: AnswerProblem = (gpio) =>
  number(gpio) ?? problemIn({ zones: [{ ...ZONE, input: { gpio: Number(gpio) } }] });
export const objectiveId: AnswerProblem = (id) =>
  number(id) ?? problemIn({ zones: [{ ...ZONE, objective: { ...OBJECTIVE, id: Number(id) } }] });

/** The first error of a configuration; undefined if the schema has none. */
function problemIn(value: object): string | undefined {
  if (validateConfiguration(value)) return undefined;
  return schemaProblems(validateConfiguration.errors ?? [], value)[0]?.message;
}

function number(text: string): string | undefined {
  return /^\d{1,9}$/.test(text) ? undefined : "must be a number of at most nine digits";
}

function address(text: string): string | undefined {
  return URL.canParse(text) ? undefined : "is not a URL such as https://host:port";
}
