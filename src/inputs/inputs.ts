import type { Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import type { Log } from "../domain/log.ts";
import type { Zone } from "../domain/zone.ts";
import type { Journal } from "../store/journal.ts";
import { BuiltInBroker } from "./built-in-broker.ts";
import { openBackend, type GpioBackend } from "./gpio/backends.ts";
import { GpioReadings } from "./gpio/gpio-readings.ts";
import { SimulatedLines } from "./gpio/simulated-lines.ts";
import { levelOf } from "./gpio/wires.ts";
import { HomeAssistant, type HomeAssistantOptions } from "./home-assistant.ts";
import { MqttReadings, type BrokerTls } from "./mqtt-readings.ts";
import { MqttZones } from "./mqtt-zones.ts";
import { BuiltInPublisher, ExternalPublisher } from "./retained-publisher.ts";
import type { ZoneMonitor } from "./zone-monitor.ts";

export interface InputsOptions {
  readonly zones: readonly Zone[];
  readonly monitor: ZoneMonitor;
  readonly journal: Pick<Journal, "takenMessages" | "brokerCounts" | "together" | "ifLost">;
  readonly gpio: { readonly backend: GpioBackend | "simulated"; readonly chip?: string };
  /** What the backend `simulated` reads; the wires of a quiet building where nothing is given. */
  readonly lines?: SimulatedLines | undefined;
  readonly mqtt: MqttSource;
  /** What is shown in Home Assistant; undefined for nothing. */
  readonly homeAssistant?: Pick<HomeAssistantOptions, "site" | "prefix" | "version" | "look">;
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
}

type Credentials = { readonly credentials?: { readonly username: string; readonly password: string } };

/** Where MQTT readings come from. */
export type MqttSource =
  | { readonly mode: "off" }
  | ({
      readonly mode: "external";
      readonly url: string;
      readonly clientId: string;
      readonly tls?: BrokerTls;
    } & Credentials)
  | ({ readonly mode: "built-in"; readonly host: string; readonly port: number } & Credentials);

/** Everything that readings come from, started and stopped as one. A source that is not there is a condition. */
export class Inputs {
  readonly #options: InputsOptions;
  readonly #lines: SimulatedLines | undefined;
  readonly #gpio: GpioReadings;
  readonly #mqtt: BuiltInBroker | MqttReadings | undefined;
  readonly #homeAssistant: HomeAssistant | undefined;

  constructor(options: InputsOptions) {
    this.#options = options;
    const { zones, gpio } = options;
    const { backend, chip } = gpio;
    const needsBias = zones.some(
      ({ input, gate }) =>
        (input.source === "gpio" && input.bias !== "as-is") || (gate.by === "gpio" && gate.bias !== "as-is"),
    );
    if (backend === "simulated") {
      const lines = options.lines ?? quietLines(zones);
      this.#lines = lines;
      this.#gpio = new GpioReadings({ ...options, openPort: () => lines });
    } else
      this.#gpio = new GpioReadings({
        ...options,
        openPort: () => openBackend(backend, { chip, needsBias }),
      });
    this.#mqtt = mqttReadings(options);
    this.#homeAssistant = homeAssistantAt(this.#mqtt, options);
  }

  async start(): Promise<void> {
    const { monitor } = this.#options;
    // A zone without a wire is at rest until somebody drives it.
    for (const { zone, contact } of monitor.zones())
      if (zone.input.source === "simulated" && contact === "unknown")
        monitor.read(zone.id, "normal", { live: false });
    await this.#gpio.start();
    await this.#mqtt?.start();
    await this.#homeAssistant?.start();
  }

  async stop(): Promise<void> {
    await this.#homeAssistant?.stop();
    await this.#mqtt?.stop();
    this.#gpio.stop();
  }

  /**
   * Drives a zone as its contact would; a simulated line passes the same port and filter as a real one. A zone with a
   * real sensor trips at once and goes on from what the sensor last said; closing it is the sensor's own business.
   */
  simulate(zone: Zone, contact: "open" | "normal"): void {
    const { monitor } = this.#options;
    if (zone.input.source === "gpio" && this.#lines)
      this.#lines.set(zone.input.gpio, levelOf(zone.input, contact));
    else if (zone.input.source === "simulated") monitor.read(zone.id, contact, { live: true });
    else if (contact === "open") monitor.testDrive(zone.id);
  }
}

function mqttReadings({ mqtt, journal, ...common }: InputsOptions): BuiltInBroker | MqttReadings | undefined {
  const options = {
    ...common,
    brokerCounts: journal.brokerCounts,
    zones: new MqttZones({ ...common, journal }),
  };
  if (mqtt.mode === "built-in") return new BuiltInBroker({ ...options, ...mqtt });
  if (mqtt.mode === "external") return new MqttReadings({ ...options, ...mqtt });
  return undefined;
}

/** Shown at the broker that the readings come from. */
function homeAssistantAt(
  broker: BuiltInBroker | MqttReadings | undefined,
  { homeAssistant, mqtt, zones, clock, log }: InputsOptions,
): HomeAssistant | undefined {
  if (!homeAssistant) return undefined;
  const common = { ...homeAssistant, zones, clock, log };
  if (broker instanceof BuiltInBroker)
    return new HomeAssistant({ ...common, publisher: new BuiltInPublisher(broker) });
  if (mqtt.mode !== "external") return undefined;
  const publisher = new ExternalPublisher({ broker: mqtt, clientId: `${mqtt.clientId}-shown`, log });
  return new HomeAssistant({ ...common, publisher });
}

/** Simulated lines start as the wires of a quiet building, with every key turned so that trips are wanted. */
function quietLines(zones: readonly Zone[]): SimulatedLines {
  const wires = zones.flatMap(({ input }) =>
    input.source === "gpio" ? [[input.gpio, levelOf(input, "normal")] as const] : [],
  );
  const keys = zones.flatMap(({ gate }) =>
    gate.by === "gpio" ? [[gate.gpio, levelOf(gate, "open")] as const] : [],
  );
  return new SimulatedLines([...keys, ...wires]);
}
