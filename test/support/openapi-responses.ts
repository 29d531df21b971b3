import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { gunzipSync } from "node:zlib";
import { Ajv, type ValidateFunction } from "ajv";
import { openApiDocument } from "../../src/http/openapi.ts";

interface Operation {
  readonly responses: Readonly<Record<string, { content?: Record<string, { schema: object }> }>>;
}

/** The OpenAPI document below a base path, with its compiled schemas. */
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: object;
  readonly ajv: Ajv;
  readonly validators: Map<object, ValidateFunction>;
}

/** Compiled once per test file: it takes longer than most tests. */
const documents = new Map<string, Document>();

function documentOf(basePath: string): Document {
  const { paths, components } = openApiDocument(basePath) as unknown as Pick<
    Document,
    "paths" | "components"
  >;
  const ajv = new Ajv({ strict: false, formats: { "interface-date-time": true } });
  return { paths, components, ajv, validators: new Map() };
}

/**
 * Wraps an application and validates each response against its OpenAPI document. The operation must describe
 * the status, the body must match, and every failure must have the error body.
 */
export class OpenApiResponses {
  /** Violations as text. */
  readonly violations: string[] = [];
  /** Number of validated responses. */
  checked = 0;
  readonly #basePath: string;
  readonly #document: Document;

  constructor(basePath: string) {
    this.#basePath = basePath;
    this.#document = documents.get(basePath) ?? documentOf(basePath);
    documents.set(basePath, this.#document);
  }

  /** The same application with validation. */
  watch(app: RequestListener): RequestListener {
    return (request, response) => {
      const end = response.end.bind(response) as (...words: unknown[]) => ServerResponse;
      response.end = ((...words: unknown[]) => {
        this.#check(request, response, words[0]);
        return end(...words);
      }) as typeof response.end;
      app(request, response);
    };
  }

  #check(request: IncomingMessage, response: ServerResponse, body: unknown): void {
    const { statusCode: status } = response;
    const path = (request.url ?? "").split("?")[0] ?? "";
    const what = `${request.method} ${path} answered ${status}`;
    this.checked += 1;
    const isFailure = status >= 400;
    const operation = this.#operation(request.method ?? "", path);
    const described = operation?.responses[String(status)];
    // 405 and 404 of a path belong to no operation; they still have the error body.
    if (operation && !described) this.violations.push(`${what}, which the document does not describe`);
    if (request.method === "HEAD" || status === 204) return;
    const schema =
      described?.content?.["application/json"]?.schema ??
      (isFailure ? { $ref: "#/components/schemas/ErrorBody" } : undefined);
    if (!schema) return;
    const isPacked = response.getHeader("Content-Encoding") === "gzip" && Buffer.isBuffer(body);
    const sent: unknown = isPacked ? gunzipSync(body) : body;
    const text = Buffer.isBuffer(sent) || typeof sent === "string" ? sent.toString() : "";
    const wrong = this.#misfit(schema, text);
    if (wrong !== "") this.violations.push(`${what}: ${wrong} in ${text.slice(0, 200)}`);
    if (isFailure && (JSON.parse(text) as { statusCode: number }).statusCode !== status)
      this.violations.push(`${what}, and its body says something else`);
  }

  #operation(method: string, path: string): Operation | undefined {
    if (!path.startsWith(this.#basePath)) return undefined;
    const inside = path.slice(this.#basePath.length);
    const [, found] =
      Object.entries(this.#document.paths).find(([template]) =>
        new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}/?$`).test(inside),
      ) ?? [];
    return found?.[method === "HEAD" ? "get" : method.toLowerCase()];
  }

  /** Schema violations of a body; empty if it is valid. */
  #misfit(schema: object, text: string): string {
    const { ajv, components, validators } = this.#document;
    let validate = validators.get(schema);
    if (!validate) {
      validate = ajv.compile({ ...schema, components });
      validators.set(schema, validate);
    }
    try {
      return validate(JSON.parse(text)) ? "" : ajv.errorsText(validate.errors);
    } catch {
      return "no JSON";
    }
  }
}
