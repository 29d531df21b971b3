import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import request from "supertest";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestApp } from "../support/app.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const TOUCH_ICON = join(import.meta.dirname, "../../src/panel/public/apple-touch-icon.png");
const SCRIPT = "globalThis.early = {};";
const PAGE = `<html data-base-path="" data-locale="">
  <script>${SCRIPT}</script>
  <link rel="modulepreload" href="en.js" data-language="en">
  <link rel="modulepreload" href="ro.js" data-language="ro">
`;

describe("the files of the web panel", () => {
  const folder = temporaryFolder(afterAll);
  let site: TestApp;
  beforeAll(async () => {
    mkdirSync(join(folder, "assets"));
    writeFileSync(join(folder, "index.html"), PAGE);
    writeFileSync(join(folder, "assets/index-1.js"), "let packed = false;");
    writeFileSync(join(folder, "assets/index-1.js.gz"), gzipSync("let packed = true;"));
    copyFileSync(TOUCH_ICON, join(folder, "apple-touch-icon.png"));
    writeFileSync(join(folder, "assets/secret.key"), "no file of the panel");
    site = await TestApp.make({ basePath: "/api", panel: { folder, locale: "ro" } });
  });
  afterAll(() => site.close());

  test("are served without a token", async () => {
    const answer = await request(site.app).get("/").expect(200);
    expect(answer.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(answer.text).toContain('<html data-base-path="/api" data-locale="ro">');
  });

  test("have the texts of the language that the browser prefers, else those of the site", async () => {
    const textsFor = async (languages: string): Promise<string[]> => {
      const answer = await request(site.app).get("/").set("Accept-Language", languages).expect(200);
      expect(answer.headers["vary"]).toContain("Accept-Language");
      return [...answer.text.matchAll(/href="(\w+)\.js"/g)].flatMap(([, name]) => name ?? []);
    };
    expect(await textsFor("en-GB,en;q=0.9,ro;q=0.1")).toEqual(["en"]);
    expect(await textsFor("ro-RO,ro;q=0.9,en;q=0.8")).toEqual(["ro"]);
    expect(await textsFor("de")).toEqual(["ro"]);
    expect(await textsFor("*")).toEqual(["ro"]);
  });

  test("have the icon that an iPhone asks for when the panel is added to its home screen", async () => {
    const { headers, body } = await request(site.app).get("/apple-touch-icon.png").expect(200);
    expect(headers["content-type"]).toBe("image/png");
    const picture = body as Buffer;
    expect([picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([180, 180]);
  });

  test("may load only from this origin, also over plain HTTP", async () => {
    const { headers } = await request(site.app).get("/").expect(200);
    const policy = headers["content-security-policy"] ?? "";
    expect(policy).toContain("default-src 'none'; script-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("upgrade-insecure-requests");
    expect(policy).not.toContain("unsafe");
    expect(headers["strict-transport-security"]).toBeUndefined();
  });

  test("may run no script within the page but its own", async () => {
    const hash = createHash("sha256").update(SCRIPT).digest("base64");
    const page = await request(site.app).get("/").expect(200);
    expect(page.text).toContain(`<script>${SCRIPT}</script>`);
    expect(page.headers["content-security-policy"]).toContain(
      `; script-src 'self' 'sha256-${hash}'; style-src 'self'; `,
    );
    const script = await request(site.app).get("/assets/index-1.js").expect(200);
    expect(script.headers["content-security-policy"]).toContain("; script-src 'self'; style-src 'self'; ");
  });

  test("do not change the closed policy of the API", async () => {
    const { headers } = await request(site.app).get("/site/status").expect(401);
    expect(headers["content-security-policy"]).toBe("default-src 'none'; frame-ancestors 'none'");
  });

  test("are compressed for clients that support it", async () => {
    const packed = await request(site.app)
      .get("/assets/index-1.js")
      .set("Accept-Encoding", "gzip")
      .expect(200);
    expect([packed.text, packed.headers["content-encoding"]]).toEqual(["let packed = true;", "gzip"]);
    const plain = await request(site.app)
      .get("/assets/index-1.js")
      .set("Accept-Encoding", "identity")
      .expect(200);
    expect([plain.text, plain.headers["content-encoding"]]).toEqual(["let packed = false;", undefined]);
    expect(plain.headers["vary"]).toBe("Accept-Encoding");
  });

  test("are cached by the browser: hashed ones permanently, the page until it changes", async () => {
    const script = await request(site.app).get("/assets/index-1.js").expect(200);
    expect(script.headers["cache-control"]).toContain("immutable");
    const page = await request(site.app).get("/").expect(200);
    expect(page.headers["cache-control"]).toBe("no-cache");
    await request(site.app)
      .get("/")
      .set("If-None-Match", page.headers["etag"] ?? "")
      .expect(304);
  });

  test("are the only ones served, and only with GET and HEAD", async () => {
    await request(site.app).get("/assets/secret.key").expect(404);
    await request(site.app).get("/assets/").expect(404);
    await request(site.app).get("/assets/..%2findex.html").expect(404);
    await request(site.app).post("/").expect(405);
  });
});

test("a daemon without a built panel responds with the error body at /", async () => {
  const site = await TestApp.forTest({
    panel: { folder: join(tmpdir(), "santinela-no-such-folder"), locale: "en" },
  });
  const answer = await request(site.app).get("/").expect(404);
  expect(answer.body).toMatchObject({ statusCode: 404 });
});
