import type { TestProject } from "vitest/node";
import { PostgresServer } from "./postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder with the socket of the server that the files of a project over PostgreSQL share. */
    postgresFolder: string;
  }
}

/** Starts one server for all files of a project, each of whose applications has a database of its own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await PostgresServer.start();
  project.provide("postgresFolder", server.folder);
  return () => server.stop();
}
