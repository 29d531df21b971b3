import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadConfiguration } from "../../src/config/load.ts";
import { temporaryCertificate } from "../../src/ops/certificates.ts";
import { TestApp } from "../support/app.ts";
import { santinela } from "../support/command-line.ts";
import { codeFor, signIn } from "../support/enrolled-site.ts";
import { close, freePort, listen } from "../support/loopback.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const CODE = "abcde-fghjk-mnpqr-stuvw";

let folder: string;
let servers: Server[];
beforeEach(() => {
  folder = temporaryFolder();
  servers = [];
  // The password file does not exist before the enrolment.
  writeFileSync(
    join(folder, "site.yaml"),
    `dataDir: ./data
site: { ref: hala-nord }
upstream: { baseUrl: "http://127.0.0.1:9", email: hala-nord@sites.santinela.local, passwordFile: ./enrolled.password }
mqtt: off
zones:
  - { id: gate, name: Gate, kind: intrusion, objective: { type: obiective/cladiri, id: 1 }, input: { simulated: true } }
  - { id: roof, name: Roof, kind: intrusion, objective: { type: obiective/cladiri, id: 3 }, input: { simulated: true } }
`,
  );
});
afterEach(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    await close(server);
  }
});

async function serve(handle: RequestListener): Promise<string> {
  const server = createServer(handle);
  servers.push(server);
  return `http://127.0.0.1:${await listen(server)}`;
}

function enrol(centre: string, code = CODE) {
  const words = ["enrol", code, "--centre", centre, "--config", join(folder, "site.yaml")];
  return santinela(words, { cwd: folder });
}

const password = (): string => readFileSync(join(folder, "enrolled.password"), "utf8").trim();

test("a response that is lost costs no code: the same command again gets the account", async () => {
  const centre = await TestApp.forTest();
  const code = await codeFor(centre, "hala-nord", ["obiective/cladiri/1"]);
  let isLost = true;
  const url = await serve((request, response) => {
    if (isLost) response.end = () => response.destroy();
    centre.app(request, response);
  });
  const first = await enrol(url, code);
  expect([first.code, first.stdout]).toEqual([75, ""]);
  expect(first.stderr).toContain("repeat the same command");
  expect(existsSync(join(folder, "enrolled.password"))).toBe(false);
  isLost = false;
  const second = await enrol(url, code);
  expect(second.code).toBe(0);
  expect(second.stderr).toBe(
    "zone roof: the account may not use obiective/cladiri/3; trips of this zone would wait\n",
  );
  await signIn(centre, "hala-nord@sites.santinela.local", password()).expect(200);
});

test("a lost response costs no code either if the code or the address is typed in another way, or once wrongly", async () => {
  const centre = await TestApp.forTest();
  const objectives = ["obiective/cladiri/1"];
  let isLost = false;
  const url = await serve((request, response) => {
    if (isLost) response.end = () => response.destroy();
    centre.app(request, response);
  });
  const nowhere = `http://127.0.0.1:${await freePort()}`;
  const again: ((code: string) => ReturnType<typeof enrol>)[] = [
    (code) => enrol(url, code),
    (code) => enrol(`${url}/`, code),
    (code) => enrol(url, code.toUpperCase()),
    (code) => enrol(url, code.replaceAll("-", "")),
  ];
  for (const repeat of again) {
    const code = await codeFor(centre, "hala-nord", objectives, { transfer: true });
    isLost = true;
    expect((await enrol(url, code)).code).toBe(75);
    isLost = false;
    expect((await enrol(url, code.slice(0, -1))).stderr).toContain("the one-time code is unknown here");
    expect((await enrol(nowhere, code)).code).toBe(75);
    expect(await repeat(code)).toMatchObject({ code: 0 });
    await signIn(centre, "hala-nord@sites.santinela.local", password()).expect(200);
  }
  expect(existsSync(join(folder, "enrolled.password.sent"))).toBe(false);
});

test("both names of an objective are shown, because an id may be another building at the centre", async () => {
  const centre = await TestApp.forTest();
  const url = await serve(centre.app);
  const file = join(folder, "site.yaml");
  const named = "{ id: 1, name: My flat }, { id: 3, name: hall  3 }";
  writeFileSync(file, `objectives: { obiective/cladiri: [ ${named} ] }\n${readFileSync(file, "utf8")}`);
  const objectives = ["obiective/cladiri/1", "obiective/cladiri/3"];
  const { code, stdout, stderr } = await enrol(url, await codeFor(centre, "hala-nord", objectives));
  expect(code).toBe(0);
  expect(stdout).toContain('zones send crews to obiective/cladiri/1 ("My flat" ≠ "Hall 1")\n');
  expect(stdout).toContain('zones send crews to obiective/cladiri/3 ("Hall 3")\n');
  expect(stderr).toMatch(/^the dispatch centre has another name for an objective of zones .*\n$/);
});

test("no more than ten sent passwords are kept", async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  for (let count = 10; count < 24; count += 1) await enrol(url, `${count}cde-fghjk-mnpqr-stuvw`);
  const kept = readFileSync(join(folder, "enrolled.password.sent"), "utf8");
  expect(kept.match(/"password"/g)).toHaveLength(10);
});

test("a site without a centre takes the reference of its code; one with a centre keeps its own", async () => {
  const centre = await TestApp.make();
  const url = await serve(centre.app);
  const objectives = ["obiective/cladiri/1", "obiective/cladiri/3"];
  const refused = await enrol(url, await codeFor(centre, "hala-sud", objectives));
  expect([refused.code, refused.stdout]).toEqual([1, ""]);
  expect(refused.stderr).toContain("the one-time code is for site hala-sud and not for hala-nord");

  const file = join(folder, "site.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace(/^upstream: .*\n/m, ""));
  const { code, stdout } = await enrol(url, await codeFor(centre, "hala-sud", objectives));
  expect(code).toBe(0);
  expect(stdout).toContain(
    `Set site.ref to hala-sud; it is hala-nord now.\nAdd this to ${file}, then run santinela reload:\n\nupstream:\n`,
  );
  await signIn(centre, "hala-sud@sites.santinela.local", password()).expect(200);
  await centre.close();
});

test("the authority of the centre is kept where the service may read it, and the printed section is valid", async () => {
  const centre = await TestApp.forTest();
  const url = await serve(centre.app);
  const home = join(folder, "home");
  mkdirSync(home);
  const { cert } = await temporaryCertificate(home, { names: [], nowMs: Date.now() });
  writeFileSync(join(home, "ca.crt"), cert);
  const code = await codeFor(centre, "hala-nord", ["obiective/cladiri/1"]);
  const file = join(folder, "site.yaml");
  const words = ["enrol", code, "--centre", url, "--ca-file", "ca.crt", "--config", file];
  const { stdout } = await santinela(words, { cwd: home });
  expect(stdout).toContain(
    `\nReplace these options in the section upstream of ${file}, then run santinela reload:\n\nupstream:\n`,
  );
  const section = stdout.slice(stdout.indexOf("\nupstream:") + 1);
  writeFileSync(file, readFileSync(file, "utf8").replace(/^upstream: .*\n/m, section));
  rmSync(home, { recursive: true });
  expect(loadConfiguration({ file, env: {}, cwd: "/" }).upstream?.ca?.trim()).toBe(cert.trim());
});

test("after an enrolment in the web panel the command names the password file with the former password", async () => {
  const centre = await TestApp.forTest();
  const url = await serve(centre.app);
  const file = join(folder, "site.yaml");
  const former = join(folder, "data/secrets/enrolled.password");
  const yaml = readFileSync(file, "utf8");
  writeFileSync(file, yaml.replace("passwordFile: ./enrolled.password", `passwordFile: ${former}`));
  const { stdout } = await enrol(url, await codeFor(centre, "hala-nord", ["obiective/cladiri/1"]));
  const where = `Replace these options in the section upstream of ${file}, then run santinela reload:`;
  expect(stdout).toContain(`\n${where}\npasswordFile is ${former} now, which has the former password.\n`);
  expect(stdout).toContain('\n  passwordFile: "./enrolled.password"\n');
});

test("a password is sent to one centre with one code, and again only there", async () => {
  const sent: string[] = [];
  const keep = (url: string): RequestListener => {
    return (request, response) => {
      let body = "";
      request.on("data", (bytes) => (body += String(bytes)));
      request.on("end", () => {
        sent.push(`${url} ${(JSON.parse(body) as { password: string }).password}`);
        response.destroy();
      });
    };
  };
  const first = await serve(keep("first"));
  const second = await serve(keep("second"));
  await enrol(first);
  await enrol(first);
  await enrol(second);
  await enrol(second, "zzzzz-fghjk-mnpqr-stuvw");
  expect([sent.length, new Set(sent).size]).toEqual([4, 3]);
  expect(sent[1]).toBe(sent[0]);
  expect(new Set(sent.map((line) => line.split(" ")[1])).size).toBe(3);
});

test("servers that cannot enrol are named, and nothing is written over a password that works", async () => {
  writeFileSync(join(folder, "enrolled.password"), "the-one-that-works\n", { mode: 0o600 });
  const page = await serve((_request, response) => {
    response.writeHead(200, { "Content-Type": "text/html" }).end("<h1>It works</h1>");
  });
  const foreign = await serve((_request, response) => {
    response.writeHead(404, { "Content-Type": "application/json" }).end('{"message":"not found"}');
  });
  const down = await serve((_request, response) => {
    response.writeHead(503, { "Content-Type": "application/json" }).end('{"message":"no database"}');
  });
  const other = await serve((_request, response) => {
    response
      .writeHead(201, { "Content-Type": "application/json" })
      .end('{"email":"a@b","site":"hala-sud","objectives":["obiective/cladiri/1"]}');
  });
  const refused = `http://127.0.0.1:${await freePort()}`;
  for (const [centre, code, text] of [
    [page, 65, "cannot enrol sites (200)"],
    [foreign, 65, "cannot enrol sites (404)"],
    [other, 65, "cannot enrol sites (201)"],
    [down, 75, "no database"],
    [refused, 75, "no response from"],
    ["dispecerat.example.ro", 64, "is not the address of a dispatch centre\nAn address begins with https://"],
    ["https://dispecerat.example.ro?a", 64, "is not the address of a dispatch centre\nUse its base URL"],
  ] as const) {
    const outcome = await enrol(centre);
    expect([centre, outcome.code, outcome.stdout]).toEqual([centre, code, ""]);
    expect(outcome.stderr).toContain(text);
  }
  expect(password()).toBe("the-one-that-works");
});

test("an address with the scheme of another port is corrected", async () => {
  const plain = await serve((_request, response) => void response.end());
  const outcome = await enrol(plain.replace("http:", "https:"));
  expect(outcome.stderr).toMatch(/no response from https:\/\/\S+: TLS: wrong version number\n/);
  expect(outcome.stderr).toContain(`The port does not use TLS. Use ${plain}.`);
});

test("without a configuration, the command names the one that creates it", async () => {
  const { code, stderr } = await santinela(["enrol", CODE, "--centre", "http://127.0.0.1:9"], {
    cwd: folder,
  });
  expect(code).toBe(66);
  expect(stderr).toContain("santinela init");
});

test("a hostile centre writes no control characters and no long texts to the terminal", async () => {
  const answers: readonly (readonly [status: number, headers: Record<string, string>, body: object])[] = [
    [403, {}, { message: `\u001B]0;owned\u0007\u001B[2J\nwrote /etc/santinela\r\n${"y".repeat(100_000)}` }],
    [500, {}, { message: `\u001B[31m${"z".repeat(100_000)}` }],
    [429, { "Retry-After": "soon; run rm" }, {}],
    [429, { "Retry-After": "99999999999999" }, {}],
  ];
  for (const [status, headers, body] of answers) {
    const url = await serve((_request, response) => {
      response
        .writeHead(status, { "Content-Type": "application/json", ...headers })
        .end(JSON.stringify(body));
    });
    const { code, stdout, stderr } = await enrol(url);
    expect(code).not.toBe(0);
    expect(stdout).toBe("");
    // One line for the error and one for the remedy, in readable characters.
    expect(stderr.split("\n").length).toBeLessThanOrEqual(3);
    expect(stderr.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
    expect(stderr.length).toBeLessThan(600);
    if (status === 429) expect(stderr).toMatch(/Try again in (900|86400) seconds\./);
  }
});

test.each([
  ["a control character", "a@b.ro\u001B[2J"],
  ["no end", `${"a".repeat(100_000)}@b.ro`],
])("an address of the account with %s is not written into the configuration", async (_what, email) => {
  const url = await serve((_request, response) => {
    const body = { email, site: "hala-nord", objectives: ["obiective/cladiri/1"] };
    response.writeHead(201, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  });
  const { stdout, stderr } = await enrol(url);
  expect([stdout, stderr]).toEqual(["", expect.stringMatching(/cannot enrol sites \(201\)/)]);
});

test("an address with a name and a password in it uses no code", async () => {
  let requests = 0;
  const url = await serve((_request, response) => {
    requests += 1;
    response.writeHead(500).end();
  });
  const { code, stderr } = await enrol(url.replace("http://", "http://ana:secret@"));
  expect([code, requests]).toEqual([64, 0]);
  expect(stderr).toMatch(/must not contain a user name or password/);
  // The password of the URL is not repeated in a log or on a screen.
  expect(stderr).not.toContain("secret");
});
