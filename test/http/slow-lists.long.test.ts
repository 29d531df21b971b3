import { connect } from "node:net";
import request from "supertest";
import { expect, onTestFinished, test } from "vitest";
import { FairLists } from "../../src/service/fair-lists.ts";
import type { Records } from "../../src/service/records.ts";
import type { ListPage } from "../../src/store/intervention-lists.ts";
import { TestApp } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { ServedApp } from "../support/served-app.ts";
import { ManualClock } from "../support/manual-clock.ts";

test("an account may read many slow lists at once; one that has waited for the others for 20 s gets 429", async () => {
  const ends: ((page: ListPage) => void)[] = [];
  const slow = { read: () => new Promise<ListPage>((resolve) => ends.push(resolve)) };
  const clock = new ManualClock();
  const lists = new FairLists(slow, clock);
  let asked = 0;
  const page: Records["page"] = (...list) => {
    asked += 1;
    return lists.read(...list);
  };
  const centre = await TestApp.forTest({ records: { page } as unknown as Records });
  const list = async (by: string) =>
    request(centre.app).get("/interventii?q=patrol").set("Authorization", `Bearer ${by}`);
  const [operator, administrator] = [await centre.token("operator"), await centre.token("administrator")];
  /** Ends all lists that are being read, until these responses are there. */
  const answered = async (responses: readonly Promise<request.Response>[]): Promise<request.Response[]> => {
    let all: request.Response[] | undefined;
    void Promise.all(responses).then((done) => (all = done));
    await eventually("all are answered", () => {
      for (const end of ends.splice(0)) end({ records: [], total: 0 });
      return all !== undefined;
    });
    return all ?? [];
  };
  const statuses = (responses: readonly request.Response[]) => [
    ...new Set(responses.map(({ status }) => status)),
  ];

  expect(statuses(await answered([...Array(30).keys()].map(() => list(operator))))).toEqual([200]);

  asked = 0;
  const own = [...Array(12).keys()].map(() => list(operator));
  await eventually("all are asked for", () => asked === own.length);
  clock.advance(20_000);
  const first = await Promise.race(own);
  expect([first.status, first.headers["retry-after"], first.headers["x-error-code"]]).toEqual([
    429,
    "10",
    "too-many-requests",
  ]);
  expect(first.body.message).toContain("this account already reads 2 slow lists");
  expect(statuses(await answered([list(administrator)]))).toEqual([200]);
  const last = await answered(own);
  expect(last.filter(({ status }) => status === 429)).toHaveLength(10);
  expect(last.filter(({ status }) => status === 200)).toHaveLength(2);
});

test("a list is answered although it takes longer than a connection may be idle, which then counts again", async () => {
  const idleMs = 300;
  const page: Records["page"] = () =>
    new Promise((resolve) => {
      setTimeout(() => resolve({ records: [], total: 0 }), 4 * idleMs);
    });
  const centre = await TestApp.forTest({ records: { page } as unknown as Records });
  const served = await new ServedApp(centre, { idleMs }).start();
  onTestFinished(() => served.stop());
  const socket = connect(served.server.address.port, "127.0.0.1");
  const closed = new Promise((resolve) => socket.once("close", resolve));
  let answer = "";
  socket.on("data", (chunk) => (answer += chunk.toString()));
  const ask = `GET /interventii?q=patrol HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${await centre.token()}\r\n\r\n`;
  socket.write(ask.repeat(2));
  await eventually("both answers", () => answer.split("HTTP/1.1 200").length === 3);
  // A request that is not completed: the time without traffic is the usual one.
  socket.write("GET /");
  await closed;
});
