import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { missingOf } from "./required-programs.ts";

/** Which of the programs of Debian are missing, and how to install them; undefined if none is. */
export const NO_APT = missingOf({ "apt-get": "apt", "dpkg-deb": "dpkg", gpg: "gnupg" });

/** Runs `apt-get`, or `apt-cache policy`. */
export type Apt = (...words: string[]) => Promise<{ stdout: string; stderr: string }>;

/** Serves the files of `folder`. */
export function fileServer(folder: string): Server {
  return createServer((request, response) => {
    const path = join(folder, new URL(request.url ?? "/", "http://localhost").pathname);
    if (existsSync(path) && statSync(path).isFile()) response.end(readFileSync(path));
    else response.writeHead(404).end();
  });
}

/**
 * The apt of a machine whose folders are below `state`, with the repository at `port` as its only source.
 * @param ring file with the keys that it accepts
 */
export function aptOf(state: string, ring: string, port: number): Apt {
  for (const path of ["lists/partial", "cache/archives/partial", "etc"])
    mkdirSync(join(state, path), { recursive: true });
  writeFileSync(join(state, "status"), "");
  writeFileSync(
    join(state, "etc/santinela.sources"),
    `Types: deb\nURIs: http://127.0.0.1:${port}/\nSuites: stable\nComponents: main\nSigned-By: ${ring}\n`,
  );
  const options = [
    ["Dir::Etc::sourcelist", "/dev/null"],
    ["Dir::Etc::sourceparts", join(state, "etc")],
    ["Dir::State", state],
    ["Dir::State::status", join(state, "status")],
    ["Dir::State::Lists", join(state, "lists")],
    ["Dir::Cache", join(state, "cache")],
    ["APT::Architecture", "amd64"],
    ["APT::Sandbox::User", ""],
    ["Acquire::Languages", "none"],
    ["Acquire::http::Proxy", "DIRECT"],
  ].flatMap(([name, value]) => ["-o", `${name}=${value}`]);
  return (...words) =>
    promisify(execFile)(words[0] === "policy" ? "apt-cache" : "apt-get", [...options, ...words], {
      env: { PATH: process.env["PATH"], LC_ALL: "C" },
    });
}
