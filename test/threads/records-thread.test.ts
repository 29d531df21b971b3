import { afterEach, expect, test } from "vitest";
import { DEVICE_USER, PATROL } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { RecordsThread } from "../support/records-thread.ts";

let thread: RecordsThread;
afterEach(() => thread.stop());

test("the start of the daemon goes on although a defect ends the records meanwhile, and they run again", async () => {
  const objectives = { "obiective/cladiri": [{ id: 1, name: "Hall 1" }] };
  thread = await RecordsThread.start({ objectives, failpoint: "record-changed:1=throw" });
  const { parts, conditions } = thread;
  const create = () => parts.records.records.create(PATROL, DEVICE_USER, { key: "k", fingerprint: "f" });
  await create().catch(() => "the answer may come before the end");
  await eventually("the end of the records", () => conditions.isOpen("thread-failed", "records"));
  await expect(create()).rejects.toMatchObject({ code: "unavailable", retryAfterS: 1 });
  await parts.startSync();
  expect(await eventually("the records", create)).toMatchObject({ record: { id: 1 }, replayed: true });
});
