import { connectAsync, type MqttClient } from "mqtt";
import type { MqttReadings } from "../../src/inputs/mqtt-readings.ts";
import type { Zone } from "../../src/domain/zone.ts";
import { startMosquitto, type Mosquitto } from "./mosquitto.ts";
import { listening, readingsOf } from "./mqtt-readings.ts";
import { MonitoredZones } from "./monitored-zones.ts";

/** Zones with their own Mosquitto and a connected sensor. */
export class MqttSite extends MonitoredZones {
  readonly broker: Mosquitto;
  readonly sensor: MqttClient;
  /** The current readings of the daemon; none before `listen` or a start. */
  readings: MqttReadings;

  private constructor(zones: readonly Zone[], broker: Mosquitto, sensor: MqttClient) {
    super(zones);
    this.broker = broker;
    this.sensor = sensor;
    this.readings = this.newReadings();
  }

  /** @param settings of the broker; they replace those that store sessions */
  static async make(zones: readonly Zone[], settings?: readonly string[]): Promise<MqttSite> {
    const broker = await startMosquitto([], settings);
    const sensor = await connectAsync(broker.url, { reconnectPeriod: 100 });
    sensor.on("error", () => "the broker is away on purpose");
    return new MqttSite(zones, broker, sensor);
  }

  newReadings(): MqttReadings {
    return (this.readings = readingsOf(this, this.broker.url));
  }

  /** Starts new readings and waits for the confirmation of their subscription. */
  async listen(): Promise<void> {
    this.readings = await listening(this, this.broker.url);
  }

  /** Publishes as the sensor, and waits for the acknowledgement. */
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
