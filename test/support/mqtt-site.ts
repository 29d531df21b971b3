import { connectAsync, type MqttClient } from "mqtt";
import type { MqttReadings } from "../../src/inputs/mqtt-readings.ts";
import type { Zone } from "../../src/domain/zone.ts";
import { startMosquitto, type Mosquitto } from "./mosquitto.ts";
import { listening, readingsOf } from "./mqtt-readings.ts";
import { WatchedZones } from "./watched-zones.ts";

/** Watched zones with a Mosquitto of their own, and a sensor that is connected to it. */
export class MqttSite extends WatchedZones {
  readonly broker: Mosquitto;
  readonly sensor: MqttClient;
  /** What the daemon hears the broker with; nobody listens before `listen` or a start of these. */
  readings: MqttReadings;

  private constructor(zones: readonly Zone[], broker: Mosquitto, sensor: MqttClient) {
    super(zones);
    this.broker = broker;
    this.sensor = sensor;
    this.readings = this.newReadings();
  }

  /** @param settings of the broker instead of those that keep sessions */
  static async make(zones: readonly Zone[], settings?: readonly string[]): Promise<MqttSite> {
    const broker = await startMosquitto([], settings);
    const sensor = await connectAsync(broker.url, { reconnectPeriod: 100 });
    sensor.on("error", () => "the broker is away on purpose");
    return new MqttSite(zones, broker, sensor);
  }

  newReadings(): MqttReadings {
    return (this.readings = readingsOf(this, this.broker.url));
  }

  /** Waits until the broker has taken the subscription of new readings. */
  async listen(): Promise<void> {
    this.readings = await listening(this, this.broker.url);
  }

  /** Says something as the sensor, and waits until the broker has it. */
  publish(topic: string, payload: string): Promise<unknown> {
    return this.sensor.publishAsync(topic, payload, { qos: 1 });
  }

  async end(): Promise<void> {
    await this.readings.stop();
    await this.sensor.endAsync(true);
    this.close();
    await this.broker.stop();
  }
}
