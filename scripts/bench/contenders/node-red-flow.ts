import { topicOf } from "./sensors.ts";

const FIELDS = [
  "name",
  "description",
  "dateStart",
  "status",
  "priority",
  "type",
  "objectiveType",
  "objectiveId",
  "crews",
] as const;

export const TABLE = `CREATE TABLE interventions(id INTEGER PRIMARY KEY AUTOINCREMENT, ${FIELDS.join(", ")})`;

const INSERT = `INSERT INTO interventions(${FIELDS.join(", ")}) VALUES(${FIELDS.map((field) => `$${field}`).join(", ")}) RETURNING *`;

/** Gives a prepared statement exactly its own parameters. */
const PARAMETERS_OF_BODY = `
const body = { status: "planned", priority: "medium", type: "other", crews: 1, ...msg.payload };
msg.params = {};
for (const field of ${JSON.stringify(FIELDS)}) msg.params["$" + field] = body[field] ?? null;
return msg;`;

const FIRST_ROW_CREATED = "msg.payload = msg.payload[0]; msg.statusCode = 201; return msg;";
const PARAMETERS_OF_ID = "msg.params = { $id: Number(msg.req.params.id) }; return msg;";
const FIRST_ROW = "msg.payload = msg.payload[0] ?? {}; return msg;";

const BODY_OF_OPENING = `
if (msg.payload.contact) return null;
const objectiveId = Number(msg.topic.split("/")[1]);
msg.payload = { name: msg.topic, priority: "high", objectiveType: "obiective/cladiri", objectiveId };
msg.headers = { "content-type": "application/json" };
return msg;`;

/** The nodes of the flow: POST and GET over HTTP, and openings from MQTT that are posted to it. */
export function flowOf({
  port,
  file,
  brokerUrl,
}: {
  port: number;
  file: string;
  brokerUrl: string | undefined;
}): object[] {
  const chain = (id: string, nodes: readonly object[]): object[] =>
    nodes.map((node, index) => ({
      id: `${id}-${index}`,
      z: "flow",
      wires: index < nodes.length - 1 ? [[`${id}-${index + 1}`]] : [],
      ...node,
    }));
  const code = (func: string): object => ({ type: "function", func, outputs: 1 });
  const sql = (text: string): object => ({
    type: "sqlite",
    mydb: "database",
    sqlquery: "prepared",
    sql: text,
  });
  return [
    { id: "flow", type: "tab", label: "bench" },
    { id: "database", type: "sqlitedb", db: file, mode: "RW" },
    ...chain("post", [
      { type: "http in", url: "/interventii", method: "post" },
      code(PARAMETERS_OF_BODY),
      sql(INSERT),
      code(FIRST_ROW_CREATED),
      { type: "http response" },
    ]),
    ...chain("get", [
      { type: "http in", url: "/interventii/:id", method: "get" },
      code(PARAMETERS_OF_ID),
      sql("SELECT * FROM interventions WHERE id = $id"),
      code(FIRST_ROW),
      { type: "http response" },
    ]),
    ...(brokerUrl === undefined ? [] : mqttPart(brokerUrl, port, chain, code)),
  ];
}

function mqttPart(
  brokerUrl: string,
  port: number,
  chain: (id: string, nodes: readonly object[]) => object[],
  code: (func: string) => object,
): object[] {
  const { hostname, port: brokerPort } = new URL(brokerUrl);
  return [
    {
      id: "broker",
      type: "mqtt-broker",
      broker: hostname,
      port: brokerPort,
      clientid: "node-red",
      cleansession: false,
      protocolVersion: "4",
    },
    ...chain("trip", [
      { type: "mqtt in", topic: topicOf(0).replace("0", "+"), qos: "1", datatype: "json", broker: "broker" },
      code(BODY_OF_OPENING),
      {
        type: "http request",
        method: "POST",
        url: `http://127.0.0.1:${port}/interventii`,
        ret: "obj",
        paytoqs: "ignore",
        persist: true,
      },
    ]),
  ];
}
