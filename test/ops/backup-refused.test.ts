import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { backUp, finishBackup } from "../../src/ops/backups.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

test("a backup below a path that cannot be entered is refused with its path and the remedy", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "file"), "");
  await expect(backUp(folder, join(folder, "file/further/copy.db"))).rejects.toMatchObject({
    message: expect.stringContaining("cannot write the backup"),
    hint: "Check the free space and the permissions of that directory.",
  });
});

test("a backup in the place of a directory is refused with the name of a file, and leaves nothing", async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "stick"));
  await expect(backUp(folder, join(folder, "stick"))).rejects.toMatchObject({
    code: "cannot-create",
    message: expect.stringContaining("it is a directory"),
    hint: `Name a file, such as ${join(folder, "stick/santinela.db")}.`,
  });
  expect(readdirSync(folder)).toEqual(["stick"]);
});

test("a backup that cannot get its name leaves no copy", async () => {
  const folder = temporaryFolder();
  const out = join(folder, "copy.db");
  writeFileSync(`${out}.part`, "");
  // As by another program while the backup was written.
  mkdirSync(out);
  expect(() => finishBackup(folder, out, [])).toThrow(
    expect.objectContaining({ code: "cannot-create" }) as Error,
  );
  expect(readdirSync(folder)).toEqual(["copy.db"]);
});

test("a backup whose medium is gone before it gets its name is refused with the reason", () => {
  const folder = temporaryFolder();
  // Neither the name nor the removal of the copy works.
  writeFileSync(join(folder, "stick"), "");
  const out = join(folder, "stick/copy.db");
  expect(() => finishBackup(folder, out, [])).toThrow(
    expect.objectContaining({
      code: "cannot-create",
      hint: "Check the medium and the permissions of that directory.",
    }) as Error,
  );
  expect(() => finishBackup(folder, out, ["page 3 is damaged"])).toThrow(
    expect.objectContaining({ code: "storage" }) as Error,
  );
});

test("a backup on a medium that is not mounted is refused, and its directory is not created on the card", async () => {
  const folder = temporaryFolder();
  const missing = join(folder, "media/usb");
  await expect(backUp(folder, join(missing, "copy.db"))).rejects.toMatchObject({
    code: "cannot-create",
    message: expect.stringContaining(`there is no directory ${missing}`),
    hint: "Mount the medium, or create the directory.",
  });
  expect(existsSync(join(folder, "media"))).toBe(false);
});
