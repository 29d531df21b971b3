import { createServer, type Server } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { linkCause } from "../../src/sync/link-cause.ts";
import { TestApp } from "../support/app.ts";
import { TestAuthority } from "../support/certificates.ts";
import { close, listen } from "../support/loopback.ts";
import { json, NonconformingCentre } from "../support/nonconforming-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";
import { TlsCentre } from "../support/tls-centre.ts";
import { UNKNOWN_HOST } from "../support/unknown-host.ts";

/* Each centre is a real socket on loopback that fails in its own way. */

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** The link of a site after it has tried to send a record. */
async function linkTo(baseUrl: string, account: { email?: string; password?: string } = {}) {
  const site = new SyncingSite(await TestApp.make(), baseUrl, undefined, account);
  ends.push(() => site.close());
  site.create();
  await site.push.cycle();
  return site.link.state;
}

async function served(server: Server | ReturnType<typeof createTcpServer>): Promise<string> {
  const port = await listen(server);
  ends.push(() => close(server));
  return `http://127.0.0.1:${port}`;
}

describe("the cause of a link that is down is", () => {
  test("refused if nothing listens at the address", async () => {
    expect(await linkTo("http://127.0.0.1:9")).toMatchObject({ state: "down", cause: "refused" });
  });

  test("its name if DNS does not resolve it", async () => {
    expect(await linkTo(`http://${UNKNOWN_HOST}`)).toMatchObject({ state: "down", cause: "name" });
  });

  test("broken if the connection ends before the response", async () => {
    const address = await served(createTcpServer((socket) => socket.once("data", () => socket.destroy())));
    expect(await linkTo(address)).toMatchObject({ state: "down", cause: "broken" });
  });

  test("its certificate if the authority is not trusted", async () => {
    const authority = await TestAuthority.make();
    const centre = new TlsCentre(await authority.sign("127.0.0.1"));
    const address = await centre.start();
    ends.push(async () => {
      await centre.stop();
      authority.remove();
    });
    expect(await linkTo(address)).toMatchObject({ state: "down", cause: "certificate" });
  });

  test("TLS if the port is not encrypted", async () => {
    const address = await served(createServer((_request, response) => response.end("{}")));
    const link = await linkTo(address.replace("http:", "https:"));
    expect(link).toMatchObject({ state: "down", cause: "tls" });
  });

  test("the sign-in if the centre rejects the account, and nothing once it accepts it", async () => {
    const centre = await TestApp.make();
    ends.push(() => centre.close());
    const address = `http://127.0.0.1:${await centre.listen()}`;
    const rejected = await linkTo(address, { password: "another password" });
    expect(rejected).toMatchObject({ state: "down", cause: "sign-in" });
    expect(await linkTo(address)).toMatchObject({ state: "up", cause: null });
  });

  test("another service if a page responds", async () => {
    const address = await served(
      createServer((_request, response) =>
        response.writeHead(200, { "Content-Type": "text/html" }).end("<p>Welcome"),
      ),
    );
    expect(await linkTo(address)).toMatchObject({ state: "down", cause: "other-service" });
  });

  test("busy if its sign-in has an internal error", async () => {
    const centre = new NonconformingCentre();
    centre.signIn = () => json(500, { error: "Internal Server Error", message: "retry", statusCode: 500 });
    const address = await centre.start();
    ends.push(() => centre.stop());
    expect(await linkTo(address)).toMatchObject({ state: "down", cause: "busy" });
  });

  test("busy if the centre asks for more time", async () => {
    const address = await served(
      createServer((_request, response) => response.writeHead(503, { "Retry-After": "60" }).end()),
    );
    expect(await linkTo(address)).toMatchObject({ state: "down", cause: "busy" });
  });
});

test.each([
  ["EAI_AGAIN", "name"],
  ["ETIMEDOUT", "timeout"],
  ["EHOSTUNREACH", "network"],
  ["ENETUNREACH", "network"],
  ["CERT_HAS_EXPIRED", "certificate-time"],
  ["CERT_NOT_YET_VALID", "certificate-time"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "certificate-name"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "certificate"],
  ["ERR_SSL_WRONG_VERSION_NUMBER", "tls"],
  ["201", "other"],
])("a connection that fails with %s is a link with the cause %s", (code, cause) => {
  expect(linkCause("unreachable", code)).toBe(cause);
});
