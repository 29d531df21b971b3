import { describe, expect, test } from "vitest";
import { openApiDocument } from "../../src/http/openapi.ts";
import { fieldsOf, type OpenApi } from "../../src/panel/api-fields.ts";
import { RO_API, RO_API_ENDS, translateApiText } from "../../src/panel/messages/ro-api.ts";

/* The texts of the OpenAPI document, as the screen of the API shows them. */

const document = openApiDocument("/api") as unknown as OpenApi;
const { schemas } = document.components;
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

/** Every text that the screen shows, but the title, which is a name. */
const shown = new Set(
  [
    document.info.description,
    ...operations.flatMap((operation) => [
      operation.summary,
      ...fieldsOf(operation, schemas).flatMap(({ place, description, type }) => [
        place,
        description,
        ...type,
      ]),
      ...Object.values(operation.responses ?? {}).map(({ description }) => description),
    ]),
  ]
    .filter((text) => text !== undefined)
    // Code needs no translation.
    .filter((text) => /\p{L}/u.test(text.replaceAll(/`[^`]*`/g, ""))),
);

describe("the texts of the OpenAPI document", () => {
  test("all have a Romanian translation", () => {
    expect(shown.size).toBeGreaterThan(200);
    expect([...shown].filter((text) => translateApiText(text) === undefined)).toEqual([]);
  });

  test("have no translation of a text that the document no longer has", () => {
    const withEnds = [...shown].flatMap((text) => [
      text,
      ...RO_API_ENDS.flatMap(([end]) => (text.endsWith(end) ? [end, text.slice(0, -end.length)] : [])),
    ]);
    const stale = [...RO_API, ...RO_API_ENDS].filter(([english]) => !withEnds.includes(english));
    expect(stale.map(([english]) => english)).toEqual([]);
    expect(new Set(RO_API.map(([english]) => english)).size).toBe(RO_API.length);
  });

  test("keep names of fields and headers, code and numbers as they are", () => {
    const names = /`[^`]+`|\b[A-Z][a-z]*-[A-Z]\w*(?:-\w+)*|\w+=\w+|\b_\w+|\b[a-z]+[A-Z]\w*|\betag\b|\d+/g;
    const changed = [...shown].flatMap((text) => {
      const said = translateApiText(text) ?? "";
      return (text.match(names) ?? [])
        .filter((name) => !said.includes(name.replaceAll("`", "")))
        .map((name) => `${name}: ${said}`);
    });
    expect(changed).toEqual([]);
  });

  test("that are not known are not translated", () => {
    expect(translateApiText("Something else; for an operator")).toBeUndefined();
    expect(translateApiText("Only records with one of these values of name")).toBeUndefined();
  });
});

describe("the screen of the API shows what a request takes", () => {
  const fields = (method: string, path: string) =>
    fieldsOf(document.paths[path]?.[method] ?? {}, schemas).map(
      ({ name, place, type }) => `${place} ${name}: ${type.join("")}`,
    );

  test("the fields of a body, with what they refer to", () => {
    const created = fields("post", "/interventii");
    expect(created).toContain("header Idempotency-Key: text");
    expect(created).toContain("body name: text, required");
    expect(created).toContain("body objectiveId: whole number, required");
    expect(created).toContain("body priority: `low` | `medium` | `high`, default `medium`");
    expect(created).toContain("body police: `true` | `false`, default `false`");
    expect(created).toContain("body dateEnd: text | `null`");
    expect(created).toContain("body id: ");
    expect(fields("post", "/site-reports")).toContain("body faults: list: object: `zone`, `fault`");
  });

  test("a body without fields by its content type", () => {
    expect(fields("post", "/site/plans")).toEqual([
      "query name: text",
      "body : file, required, `application/octet-stream`",
    ]);
    expect(fields("post", "/site/setup/draft")).toEqual(["body : object, required, `application/json`"]);
  });

  test("parameters with type, default and example", () => {
    const listed = fields("get", "/interventii");
    expect(listed).toContain("query _start: whole number, default `0`");
    expect(listed).toContain("query _order: text, for example `DESC`");
    expect(fields("get", "/site/sync")).toContain("query records: `attention`");
    expect(fields("get", "/interventii/{id}")).toContain("path id: whole number, required");
  });
});
