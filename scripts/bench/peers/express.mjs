// What a first version looks like: Express as its guide shows it, a secret that is a string, one commit each. With
// --broker it also turns openings from MQTT into records, with a fetch each, and lets mqtt.js acknowledge at once. With
// --same-packages it loads, at its start, everything that the product depends on.
import express from "express";
import jwt from "jsonwebtoken";
import { options } from "./options.mjs";
import { openRecords } from "./records.mjs";

if (options["same-packages"])
  await Promise.all(
    ["aedes", "ajv", "bcrypt", "commander", "mqtt", "node-cron", "yaml"].map((name) => import(name)),
  );

const records = openRecords(options.file);
const app = express();
app.use(express.json());
app.use((request, response, next) => {
  try {
    jwt.verify(request.get("Authorization")?.slice("Bearer ".length) ?? "", options.secret);
    next();
  } catch {
    response.status(401).json({ message: "who is there?" });
  }
});
app.post("/interventii", (request, response) => {
  response.status(201).json(records.insert(request.body));
});
app.get("/interventii/:id", (request, response) => {
  const record = records.find(Number(request.params.id));
  response.status(record ? 200 : 404).json(record ?? { message: "not found" });
});
app.listen(Number(options.port), "127.0.0.1");

if (options.broker) {
  const { connect } = await import("mqtt");
  const authorization = `Bearer ${jwt.sign({ sub: "daemon" }, String(options.secret), { expiresIn: "1h" })}`;
  const client = connect(options.broker, { clientId: "express", clean: false });
  client.subscribe("bench/+", { qos: 1 });
  client.on("message", (topic, payload) => {
    if (JSON.parse(payload.toString()).contact) return;
    const body = {
      name: topic,
      priority: "high",
      objectiveType: "obiective/cladiri",
      objectiveId: Number(topic.split("/")[1]),
    };
    fetch(`http://127.0.0.1:${options.port}/interventii`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: authorization },
      body: JSON.stringify(body),
    }).catch(() => "lost: no retry");
  });
}
