import type { Config } from "../config/config.ts";
import { openApiDocument } from "../http/openapi.ts";
import type { Terminal } from "./terminal.ts";

/** Prints the OpenAPI document of the API. */
export function openApi(config: Config, { stdout }: Terminal): void {
  stdout.write(`${JSON.stringify(openApiDocument(config.http.basePath), null, 2)}\n`);
}
