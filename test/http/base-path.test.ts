import request from "supertest";
import { expect, test } from "vitest";
import { TestApp } from "../support/app.ts";

test("the API is available below the configured path only", async () => {
  const site = await TestApp.forTest({ basePath: "/api/v1" });
  const authorization = `Bearer ${await site.token()}`;
  const { headers } = await request(site.app)
    .post("/api/v1/interventii")
    .set("Authorization", authorization)
    .send({ name: "n", objectiveType: "obiective/cladiri", objectiveId: 1 })
    .expect(201);
  expect(headers["location"]).toMatch(/^\/api\/v1\/interventii\/\d+$/);
  for (const path of ["/interventii", "/API/v1/interventii"])
    await request(site.app).get(path).set("Authorization", authorization).expect(404);
  await request(site.app).get("/site/status").set("Authorization", authorization).expect(200);
});
