// The same first version with Fastify: its schemas compile the answers, the rest is as with Express.
import { createSecretKey } from "node:crypto";
import fastify from "fastify";
import jwt from "jsonwebtoken";
import { options } from "./options.mjs";
import { openRecords } from "./records.mjs";

const records = openRecords(options.file);
const key = createSecretKey(Buffer.from(options.secret));
const text = { type: ["string", "null"] };
const answer = {
  type: "object",
  properties: {
    id: { type: "integer" },
    name: { type: "string" },
    description: text,
    dateStart: text,
    dateEnd: text,
    status: { type: "string" },
    priority: { type: "string" },
    type: { type: "string" },
    objectiveType: { type: "string" },
    objectiveId: { type: "integer" },
    crews: { type: "integer" },
    police: { type: "boolean" },
    ambulance: { type: "boolean" },
    firetruck: { type: "boolean" },
    notes: text,
  },
};

const app = fastify();
app.addHook("onRequest", async (request, reply) => {
  try {
    jwt.verify(request.headers.authorization?.slice("Bearer ".length) ?? "", key);
  } catch {
    await reply.code(401).send({ message: "who is there?" });
  }
});
app.post("/interventii", { schema: { response: { 201: answer } } }, async (request, reply) => {
  reply.code(201);
  return records.insert(request.body);
});
app.get("/interventii/:id", { schema: { response: { 200: answer } } }, async (request, reply) => {
  const record = records.find(Number(request.params.id));
  if (record) return record;
  return reply.code(404).send({ message: "not found" });
});
await app.listen({ port: Number(options.port), host: "127.0.0.1" });
