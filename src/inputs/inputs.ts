import type { Clock, TrustedTime } from "../domain/clock.ts";
import type { Actor } from "../domain/event.ts";
import type { Conditions } from "../domain/condition.ts";
import type { Log } from "../domain/log.ts";
import type { LoopView } from "../domain/loop.ts";
import type { Zone } from "../domain/zone.ts";
import type { Gpio } from "../generated/types.ts";
import type { Journal } from "../store/journal.ts";
import { BatteryLevels } from "./battery-levels.ts";
import type { Broker, BrokerUse } from "./broker.ts";
import type { BuiltInBrokerOptions } from "./built-in-broker.ts";
import type { Locale } from "../domain/trip-text.ts";
import type { Dc09Source } from "../domain/alarm-panel.ts";
import { AlarmPanelReceiver, type AlarmPanelUse } from "./dc09/alarm-panel-receiver.ts";
import { SimulatedLines } from "./gpio/gpio-port.ts";
import { AdcReadings } from "./adc/adc-readings.ts";
import { openChip, type GpioBackend } from "./gpio/backend.ts";
import { GpioReadings } from "./gpio/gpio-readings.ts";
import { levelOf, initLevels } from "./gpio/line-bindings.ts";
import { shownAt, type ShownOptions } from "./home-assistant-shown.ts";
import { MqttReadings } from "./mqtt-readings.ts";
import type { MqttSource } from "./mqtt-source.ts";
import { type MessageCount, MqttZones, type FilterChanges, type MqttZonesOptions } from "./mqtt-zones.ts";
import { publisherAt } from "./retained-publisher.ts";
import { SupplyReadings } from "./supply-readings.ts";
import type { ZoneEngine } from "./zone-engine.ts";
import { ZoneMessages } from "./zone-messages.ts";
import type { ZoneSnapshot } from "./zone-reload.ts";

export interface InputsOptions {
  readonly zones: readonly Zone[];
  readonly monitor: ZoneEngine;
  readonly journal: Journal;
  readonly gpio: Pick<Gpio, "chip" | "chips"> & { readonly backend: GpioBackend | "simulated" };
  /** Levels of the backend `simulated`; by default every contact is normal. */
  readonly lines?: SimulatedLines | undefined;
  /** Directory before the paths of converters in /sys; empty for a real machine. */
  readonly root?: string;
  readonly mqtt: MqttSource;
  /** Creates the built-in broker, called if it is used. */
  readonly newBroker: (options: BuiltInBrokerOptions) => Broker;
  /** Options of Home Assistant. */
  readonly homeAssistant?: ShownOptions;
  /** Receiver for alarm panels; undefined turns it off. `addZone` monitors a zone created at its first alarm. */
  readonly alarmPanels?:
    | { readonly source: Dc09Source; readonly addZone: (zone: Zone, by: Actor) => void }
    | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
  readonly host: { readonly bootId: string; readonly time: TrustedTime };
  readonly site: { readonly incidentWindowS: number; readonly locale: Locale };
  /** Adds an entry to the event log. */
  readonly record: MqttZonesOptions["record"];
}

/** All sources of readings, started and stopped together. An unavailable source raises a condition. */
export class Inputs {
  readonly #options: InputsOptions;
  readonly #lines: SimulatedLines | undefined;
  readonly #gpio: GpioReadings;
  readonly #adc: AdcReadings;
  readonly #supply: SupplyReadings;
  readonly #builtIn: Broker | undefined;
  readonly #mqtt: Broker | MqttReadings | undefined;
  readonly #mqttZones: MqttZones;
  readonly #homeAssistant: ReturnType<typeof shownAt>;
  readonly #panels: AlarmPanelReceiver | undefined;
  /** The last message and the last charge of each zone. */
  readonly messages: ZoneMessages;
  readonly batteries: BatteryLevels;
  /** The zones for which a backend is opened. */
  #zones: readonly Zone[];

  constructor(options: InputsOptions) {
    this.#options = options;
    const { zones, gpio } = options;
    const { backend } = gpio;
    this.#zones = zones;
    if (backend === "simulated") {
      const lines = options.lines ?? new SimulatedLines();
      if (!options.lines) initLevels(lines, zones);
      this.#lines = lines;
      this.#gpio = new GpioReadings({ ...options, openPort: (chip) => lines.chip(chip) });
    } else
      this.#gpio = new GpioReadings({
        ...options,
        openPort: (chip) => openChip(backend, chip, { ...options, zones: this.#zones }),
      });
    this.#adc = new AdcReadings(options);
    this.#supply = new SupplyReadings(options);
    const { host, site } = options;
    const messages = (this.messages = new ZoneMessages(options.clock));
    const batteries = (this.batteries = new BatteryLevels(options));
    this.#mqttZones = new MqttZones({
      ...options,
      messages,
      batteries,
      bootId: host.bootId,
      incidentWindowMs: site.incidentWindowS * 1000,
    });
    this.#builtIn = builtInBroker(options, this.#mqttZones);
    this.#mqtt = this.#builtIn ?? externalReadings(options, this.#mqttZones);
    this.#homeAssistant = options.homeAssistant && shownAt(options.homeAssistant, this.#builtIn, options);
    const { alarmPanels } = options;
    const own = { time: host.time, locale: site.locale };
    this.#panels = alarmPanels && new AlarmPanelReceiver({ ...options, ...alarmPanels, ...own, messages });
  }

  /** The messages that changed nothing, by topic and reason. */
  get messageCounts(): MessageCount[] {
    return this.#mqttZones.counts.list();
  }

  /** Limits reached by the built-in broker and the memory it uses; undefined without one. */
  get brokerUse(): BrokerUse | undefined {
    return this.#builtIn?.use;
  }

  /** Where the built-in broker listens; undefined while it does not, and without one. */
  get brokerPort(): number | undefined {
    return this.#builtIn?.port;
  }

  /** Messages and silences of alarm panels; undefined without a receiver. */
  get alarmPanelUse(): AlarmPanelUse | undefined {
    return this.#panels?.use;
  }

  /** The topics or numbers that keep a zone of several open; empty for any other zone. */
  openBy({ zone, contact }: Pick<ZoneSnapshot, "zone" | "contact">): readonly string[] {
    if (contact !== "open") return [];
    return zone.input.source === "mqtt"
      ? this.#mqttZones.activeTopics(zone.id, "contact")
      : (this.#panels?.openNumbers.of(zone) ?? []);
  }

  /** The topics that report a fault of a zone whose status has several topics; empty for any other zone. */
  faultyBy({ zone }: Pick<ZoneSnapshot, "zone">): readonly string[] {
    return this.#mqttZones.activeTopics(zone.id, "faults");
  }

  /** What the loop of a zone shows; null for a zone without end-of-line resistors. */
  loopOf(zoneId: string): LoopView | null {
    return this.#adc.loopOf(zoneId);
  }

  /** Publishes the outputs at the broker of the readings; undefined without one. */
  outputPublisher(): ReturnType<typeof publisherAt> {
    return publisherAt(this.#builtIn, this.#options, "outputs");
  }

  async start(): Promise<void> {
    this.#initSimulatedZones();
    this.#adc.start();
    this.#supply.start();
    await this.#gpio.start();
    // Alarm panels do not wait for a broker whose start hangs.
    await Promise.all([this.#startMqtt(), this.#panels?.start()]);
  }

  async #startMqtt(): Promise<void> {
    await this.#mqtt?.start();
    await this.#homeAssistant?.start();
  }

  /** Subscribes to the topics of other zones before they are used, so that no message is missed. */
  async prepare(zones: readonly Zone[]): Promise<FilterChanges> {
    const filters = this.#mqttZones.filtersOf(zones);
    await this.#mqtt?.listen(filters.added);
    return filters;
  }

  /** Cancels `prepare`: the other zones are not used. */
  async abandon({ added }: FilterChanges): Promise<void> {
    await this.#mqtt?.leave(added);
  }

  /**
   * Reads for other zones from now on; the monitor already has them. Lines and connections that are still in use stay
   * open.
   * @param filters result of `prepare`
   * @returns once new lines are open, retained messages for new zones are read, and old filters are unsubscribed
   */
  exchange(zones: readonly Zone[], { news, removed }: FilterChanges): Promise<void> {
    this.#zones = zones;
    if (this.#lines) initLevels(this.#lines, zones);
    this.#mqttZones.exchange(zones);
    const opened = this.#gpio.exchange(zones);
    this.#adc.exchange(zones);
    this.#supply.exchange(zones);
    this.#initSimulatedZones();
    this.#homeAssistant?.exchange(zones);
    this.#panels?.exchanged();
    const listening = Promise.resolve(this.#mqtt?.listen(news));
    return listening.then(() => this.#mqtt?.leave(removed)).then(() => opened);
  }

  /** A simulated zone is normal until a user drives it. */
  #initSimulatedZones(): void {
    const { monitor, log } = this.#options;
    for (const { zone, contact } of monitor.zones()) {
      if (zone.input.source !== "simulated" || contact !== "unknown") continue;
      try {
        monitor.read(zone.id, "normal", { live: false });
      } catch (error) {
        log.error("simulated-reading-write-failed", { zone: zone.id, error });
      }
    }
  }

  async stop(): Promise<void> {
    await this.#panels?.stop();
    await this.#homeAssistant?.stop();
    await this.#mqtt?.stop();
    this.#supply.stop();
    this.#adc.stop();
    this.#gpio.stop();
  }

  /**
   * Drives a zone as its contact would; a simulated line passes the same port and filters as a real one. A zone with a
   * real sensor trips at once and keeps the state that the sensor last reported; only the sensor can close it.
   */
  simulate(zone: Zone, contact: "open" | "normal"): void {
    const { monitor } = this.#options;
    if (zone.input.source === "gpio" && this.#lines)
      this.#lines.chip(zone.input.chip).set(zone.input.gpio, levelOf(zone.input, contact));
    else if (zone.input.source === "simulated") monitor.read(zone.id, contact, { live: true, isTest: true });
    else if (contact === "open") monitor.simulateTrip(zone.id);
  }
}

function builtInBroker({ mqtt, newBroker, ...common }: InputsOptions, zones: MqttZones): Broker | undefined {
  if (mqtt.mode !== "built-in") return undefined;
  const { credentials, accounts = [] } = mqtt;
  const all = [...(credentials ? [credentials] : []), ...accounts];
  return newBroker({ ...common, ...mqtt, accounts: all, zones });
}

function externalReadings(
  { mqtt, journal, ...common }: InputsOptions,
  zones: MqttZones,
): MqttReadings | undefined {
  if (mqtt.mode !== "external") return undefined;
  return new MqttReadings({ ...common, ...mqtt, brokerCounts: journal.brokerCounts, zones });
}
