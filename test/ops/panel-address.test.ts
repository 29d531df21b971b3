import { expect, test } from "vitest";
import { panelAddresses } from "../../src/ops/panel-address.ts";
import { qrPath, qrText } from "../../src/ops/qr-code.ts";
import { scanned } from "../support/first-boot.ts";

test.each([
  ["127.0.0.1", []],
  ["::1", []],
  ["192.0.2.7", ["https://192.0.2.7:8080/"]],
  ["2001:db8::7", ["https://[2001:db8::7]:8080/"]],
])("a panel that listens on %s is opened at %j", (host, addresses) => {
  expect(panelAddresses({ host, port: 8080, isEncrypted: true })).toEqual(addresses);
});

test("a panel that listens everywhere is opened by its name too", () => {
  const addresses = panelAddresses({ host: "0.0.0.0", port: 80, isEncrypted: false });
  expect(addresses.at(-1)).toMatch(/^http:\/\/[\w-]+\.local:80\/$/);
  expect(addresses.some((address) => address.includes("127."))).toBe(false);
});

const LONG = "https://192.168.100.200:8080/#code=abcde-fghjk-mnpqr-stuvw";

test.each(["https://192.0.2.7:8080/", LONG])("a camera reads %s from a console", (address) => {
  const text = qrText(address);
  expect(scanned(text)).toBe(address);
  for (const line of text.split("\n")) expect(line.length).toBeLessThan(80);
});

test.each(["https://192.0.2.7:8080/", LONG])("a camera reads %s from a file in an editor", (address) => {
  expect(scanned(qrText(address, { isDarkText: true }), { isDarkText: true })).toBe(address);
});

test("the code of a page has a square for each dark module within its size", () => {
  const { path, size } = qrPath(LONG);
  const squares = [...path.matchAll(/M(\d+) (\d+)h1v1h-1z/g)].map(([, x, y]) => [Number(x), Number(y)]);
  expect(squares.map(([x, y]) => `M${x} ${y}h1v1h-1z`).join("")).toBe(path);
  expect(Math.max(...squares.flat())).toBeLessThan(size - 1);
  expect(Math.min(...squares.flat())).toBeGreaterThan(0);
});
