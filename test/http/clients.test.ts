import refineProvider, { axiosInstance } from "@refinedev/simple-rest";
import jsonServerProvider from "ra-data-json-server";
import { fetchUtils } from "ra-core";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import type { Intervention } from "../../src/domain/intervention.ts";
import { IN_POSTGRES } from "../support/app.ts";
import { buildingsYaml, EDGE, Installation } from "../support/installation.ts";
import { newDatabase } from "../support/postgres.ts";

// The two common data providers for this style of API, as published, against a running daemon or a centre on PostgreSQL.

const installation = Installation.temporary(afterAll);
let url: string;
let token: string | undefined;
beforeAll(async () => {
  const listed = `http: { port: 0 }\n${buildingsYaml(3)}`;
  const daemon = IN_POSTGRES
    ? installation.centre(
        "centre",
        `database: "${await newDatabase(inject("postgresFolder"))}"\nsite: { ref: centre }\n${listed}`,
      )
    : installation.daemon("site", `mqtt: off\ngpio: { backend: simulated }\n${listed}`);
  await daemon.addAccount(EDGE, "operator");
  url = `http://127.0.0.1:${(await daemon.start()).httpPort}`;
  ({ token } = (await call("POST", "/auth/token", EDGE)) as { token: string });
});

async function call(method: string, path: string, body?: unknown): Promise<unknown> {
  const answer = await fetch(url + path, {
    method,
    headers: {
      "Content-Type": "application/json",
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return answer.status === 204 ? undefined : answer.json();
}

let made: Intervention[];
beforeEach(async () => {
  for (const { id } of (await call("GET", "/interventii")) as Intervention[])
    await call("DELETE", `/interventii/${id}`);
  made = [];
  for (const [index, name] of ["e", "b", "d", "a", "c"].entries()) {
    const priority = index === 0 ? "low" : "high";
    const body = { name, objectiveType: "obiective/cladiri", objectiveId: 1 + (index % 2), priority };
    made.push((await call("POST", "/interventii", body)) as Intervention);
  }
});
const names = (records: readonly { name?: string }[]) => records.map(({ name }) => name).join("");

describe("react-admin's json-server provider", () => {
  const client = (address: string, options: fetchUtils.Options = {}) =>
    fetchUtils.fetchJson(address, { ...options, user: { authenticated: true, token: `Bearer ${token}` } });
  const provider = () => jsonServerProvider(url, client);

  test("lists pages with filter, order and total", async () => {
    const page = {
      pagination: { page: 2, perPage: 2 },
      sort: { field: "name", order: "DESC" },
      filter: { priority: "high" },
    } as const;
    const { data, total } = await provider().getList("interventii", page);
    expect([names(data), total]).toEqual(["ba", 4]);
    const found = await provider().getList("interventii", {
      ...page,
      pagination: { page: 1, perPage: 10 },
      filter: { q: "E" },
    });
    expect([names(found.data), found.total]).toEqual(["e", 1]);
  });

  test("reads one, many, and those of an objective", async () => {
    const [first, second] = made;
    expect((await provider().getOne("interventii", { id: first?.id ?? 0 })).data).toEqual(first);
    const many = await provider().getMany("interventii", { ids: [second?.id ?? 0, first?.id ?? 0] });
    expect(names(many.data)).toBe("eb");
    const objectives = await provider().getMany("obiective/cladiri", { ids: [3, 1] });
    expect(objectives.data.map(({ id }) => Number(id))).toEqual([1, 3]);
    const reference = {
      target: "objectiveId",
      id: 2,
      pagination: { page: 1, perPage: 5 },
      sort: { field: "id", order: "ASC" },
      filter: {},
    } as const;
    expect(names((await provider().getManyReference("interventii", reference)).data)).toBe("ba");
  });

  test("creates, also from a clone of a record, and updates with the whole record", async () => {
    const { id: _cloned, ...clone } = made[0] as Intervention;
    const { data } = await provider().create("interventii", {
      data: { ...clone, dateStart: "2026-11-20T23:30" },
    });
    expect(data).toMatchObject({ name: "e", dateStart: "2026-11-20T23:30" });
    const changed = await provider().update("interventii", {
      id: data.id,
      data: { ...data, status: "done" },
      previousData: data,
    });
    expect(changed.data).toMatchObject({ id: data.id, status: "done" });
    await provider().updateMany("interventii", { ids: made.map(({ id }) => id), data: { crews: 2 } });
    const fourth = (await call("GET", `/interventii/${made[3]?.id}`)) as Intervention;
    expect(fourth.crews).toBe(2);
  });

  test("deletes one, and many with the header that the documentation names", async () => {
    const [first, second, third] = made;
    await provider().delete("interventii", { id: first?.id ?? 0 });
    const returning = jsonServerProvider(url, (address: string, options: fetchUtils.Options = {}) => {
      const headers = new Headers(options.headers);
      if (options.method === "DELETE") headers.set("Prefer", "return=representation");
      return client(address, { ...options, headers });
    });
    const { data } = await returning.deleteMany("interventii", { ids: [second?.id ?? 0, third?.id ?? 0] });
    expect(data).toEqual([second?.id, third?.id]);
    expect(
      names(
        (
          await provider().getList("interventii", {
            pagination: { page: 1, perPage: 9 },
            sort: { field: "name", order: "ASC" },
            filter: {},
          })
        ).data,
      ),
    ).toBe("ac");
  });

  test("shows the reason of a rejected request", async () => {
    await expect(provider().create("interventii", { data: { name: "" } })).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(/objectiveId is required/),
    });
    await expect(provider().getOne("interventii", { id: 4711 })).rejects.toMatchObject({
      status: 404,
      body: { statusCode: 404 },
    });
  });
});

describe("refine's simple-rest provider", () => {
  const provider = () => {
    axiosInstance.defaults.headers.common["Authorization"] = `Bearer ${token}`;
    return refineProvider(url, axiosInstance);
  };
  const resource = "interventii";

  test("lists pages with filters, several orders and total", async () => {
    const { data, total } = await provider().getList<Intervention & { id: number }>({
      resource,
      pagination: { currentPage: 1, pageSize: 2, mode: "server" },
      sorters: [
        { field: "priority", order: "desc" },
        { field: "name", order: "asc" },
      ],
      filters: [{ field: "name", operator: "ne", value: "c" }],
    });
    expect([names(data), total]).toEqual(["ea", 4]);
  });

  test.each([
    ["eq", "priority", "low", "e"],
    ["ne", "priority", "high", "e"],
    ["gte", "name", "d", "ed"],
    ["lte", "name", "b", "ba"],
    ["contains", "name", "C", "c"],
  ] as const)("supports %s", async (operator, field, value, wanted) => {
    const { data } = await provider().getList<Intervention & { id: number }>({
      resource,
      filters: [{ field, operator, value }],
    });
    expect(names(data)).toBe(wanted);
  });

  test("lists everything without paging", async () => {
    const { data, total } = await provider().getList({ resource, pagination: { mode: "off" } });
    expect([data.length, total]).toEqual([5, 5]);
  });

  test("reads, creates, updates and deletes", async () => {
    const own = provider();
    expect((await own.getMany?.({ resource, ids: made.slice(0, 2).map(({ id }) => id) }))?.data).toHaveLength(
      2,
    );
    const { data } = await own.create<Intervention & { id: number }>({
      resource,
      variables: {
        name: "new",
        objectiveType: "obiective/cladiri",
        objectiveId: 1,
        dateStart: new Date(0).toISOString(),
      },
    });
    expect((await own.getOne({ resource, id: data.id })).data).toEqual(data);
    expect((await own.update({ resource, id: data.id, variables: { status: "done" } })).data).toMatchObject({
      status: "done",
      name: "new",
    });
    expect(
      (await own.update({ resource, id: data.id, variables: { crews: 3 }, meta: { method: "put" } })).data,
    ).toMatchObject({ crews: 3, status: "done" });
    await own.deleteOne({ resource, id: data.id });
    await expect(own.getOne({ resource, id: data.id })).rejects.toMatchObject({
      statusCode: 404,
      message: expect.stringMatching(/does not exist/),
    });
  });
});
