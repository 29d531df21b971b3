import { expect, test, vi } from "vitest";
import { keptTexts } from "../../src/panel/kept-texts.ts";
import { translator } from "../../src/panel/translation.ts";

test("the text of an entry is made once for each wording, such as a language", () => {
  const make = vi.fn(({ name }: { readonly name: string }) => name.toUpperCase());
  const textOf = keptTexts(make);
  const [door, hall] = [{ name: "door" }, { name: "hall" }];
  const all = (wording: string): string[] => [door, hall].map((one) => textOf(one, wording));
  expect([all("en"), all("en")]).toEqual([
    ["DOOR", "HALL"],
    ["DOOR", "HALL"],
  ]);
  expect(make).toHaveBeenCalledTimes(2);
  door.name = "gate";
  expect(all("ro")).toEqual(["GATE", "HALL"]);
  expect(make).toHaveBeenCalledTimes(4);
});

test("a text of the daemon is compared with the known ones once, also one that is none of them", () => {
  const translate = translator([["zone {zone} is open", "zona {zone} este deschisă"]]);
  const texts = ["zone door is open", "painter in the hall"];
  const said = texts.map(translate);
  expect(said).toEqual(["zona door este deschisă", undefined]);
  const compared = vi.spyOn(RegExp.prototype, "exec");
  try {
    expect(texts.map(translate)).toEqual(said);
    expect(compared).not.toHaveBeenCalled();
  } finally {
    compared.mockRestore();
  }
  // More texts than are kept.
  for (let n = 0; n < 5_000; n += 1) translate(`zone ${n} is open`);
  expect(texts.map(translate)).toEqual(said);
});
