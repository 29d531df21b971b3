import { describe, expect, test } from "vitest";
import { NewAlarms } from "../../src/panel/new-alarms.ts";
import { NEWEST_ALARMS_MAX } from "../../src/store/unfinished-records.ts";

/** The newest alarms of a state, newest first. */
function alarms(...ids: readonly number[]) {
  return ids.toSorted((a, b) => b - a).map((id) => ({ id, name: `Alarm ${id}` }));
}

function idsOf(list: readonly { readonly id: number }[]): readonly number[] {
  return list.map(({ id }) => id);
}

/** As many numbers as a state lists. */
function listed(from: number): number[] {
  return Array.from({ length: NEWEST_ALARMS_MAX }, (_, index) => from + index);
}

describe("new alarms of a page", () => {
  test("are those that came after it was opened, each once, until they are opened or dismissed", () => {
    const page = new NewAlarms();
    expect(page.take(alarms(3, 4))).toEqual([]);
    expect(idsOf(page.take(alarms(3, 4, 7, 9)))).toEqual([9, 7]);
    expect(page.take(alarms(3, 4, 7, 9))).toEqual([]);
    expect(idsOf(page.take(alarms(3, 4, 7, 9, 10)))).toEqual([10]);
    expect(idsOf(page.announced)).toEqual([10, 9, 7]);
    page.close(9);
    expect(idsOf(page.announced)).toEqual([10, 7]);
    page.close();
    page.take(alarms(3, 4, 7, 9, 10));
    expect(page.announced).toEqual([]);
  });

  test("include one whose number is lower, because it was stored later", () => {
    const page = new NewAlarms();
    page.take(alarms(5));
    page.take(alarms(5, 8));
    expect(idsOf(page.take(alarms(5, 7, 8)))).toEqual([7]);
    expect(idsOf(page.announced)).toEqual([8, 7]);
  });

  test("are no longer named once they are done", () => {
    const page = new NewAlarms();
    page.take(alarms());
    page.take(alarms(1, 2));
    page.take(alarms(2));
    expect(idsOf(page.announced)).toEqual([2]);
  });

  test("do not include older ones that are listed once newer ones are done", () => {
    const page = new NewAlarms();
    page.take(alarms(...listed(100)));
    expect(page.take(alarms(...listed(99)))).toEqual([]);
    expect(idsOf(page.take(alarms(...listed(101), 121)))).toEqual([121, 120]);
  });

  test("stay named when newer ones displace them from the list", () => {
    const page = new NewAlarms();
    page.take(alarms());
    page.take(alarms(1));
    page.take(alarms(...listed(2)));
    expect(idsOf(page.announced)).toHaveLength(NEWEST_ALARMS_MAX + 1);
  });

  test("stay named while the daemon cannot read them, and begin with the first list that it can read", () => {
    const page = new NewAlarms();
    expect(page.take(null)).toEqual([]);
    expect(page.take(alarms(1))).toEqual([]);
    expect(idsOf(page.take(alarms(1, 2)))).toEqual([2]);
    page.take(null);
    expect(idsOf(page.announced)).toEqual([2]);
  });
});
