import type { Config } from "../config/config.ts";
import type { Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { AppError } from "../domain/errors.ts";
import type { Actor, NewEvent } from "../domain/event.ts";
import type { Log } from "../domain/log.ts";
import { brokerName } from "../domain/mqtt-broker.ts";
import type { Output, OutputFacts, OutputView } from "../domain/output.ts";
import { openedChip } from "../inputs/gpio/chips.ts";
import { openDriver } from "../inputs/gpio/line-driver.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { OutputTopicsFile } from "../ops/output-topics.ts";
import { AlarmPulses } from "../outputs/alarm-pulses.ts";
import { FormerTopics } from "../outputs/former-topics.ts";
import { LineOutput, type OutputDevice, TopicOutput } from "../outputs/output-device.ts";
import { Outputs } from "../outputs/outputs.ts";
import type { ZoneService } from "../inputs/zone-service.ts";
import type { DispatchedTrips } from "../store/dispatched-trips.ts";
import type { Journal } from "../store/journal.ts";

interface SiteOutputsParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
  readonly host: { readonly bootId: string };
  readonly inputs: Pick<Inputs, "outputPublisher">;
  readonly trips: DispatchedTrips;
  readonly journal: Pick<Journal, "offDisk">;
  readonly zoneService: Pick<ZoneService, "entryDelays" | "zoneOverrides">;
  readonly readState: () => OutputFacts;
  readonly record: (event: NewEvent) => void;
}

/** The outputs of the configuration, connected to the lines and the broker of the site. */
export class SiteOutputs {
  readonly #outputs: Outputs;
  readonly #former: FormerTopics;
  readonly #newPublisher: () => Publisher | undefined;
  #publisher: Publisher | undefined;
  readonly #config: Pick<Config, "site">;
  #availability = "";

  constructor({ config, host, inputs, trips, journal, zoneService, ...parts }: SiteOutputsParts) {
    const { outputs } = config;
    this.#config = config;
    const { offDisk } = journal;
    const { entryDelays, zoneOverrides } = zoneService;
    this.#newPublisher = () => inputs.outputPublisher();
    const zoneOf = (zoneId: string) => config.zones.find(({ id }) => id === zoneId);
    const deviceOf = (target: Output["target"]) => this.#deviceOf(target, config.gpio);
    const { dataDir, mqtt } = config;
    const store = new OutputTopicsFile(dataDir, mqtt.mode === "external" ? brokerName(mqtt.url) : mqtt.mode);
    this.#former = new FormerTopics({ ...parts, store, deviceOf });
    this.#outputs = new Outputs({
      ...parts,
      outputs,
      deviceOf,
      pulses: new AlarmPulses({
        ...parts,
        bootId: host.bootId,
        trips,
        offDisk,
        entryDelays,
        zoneOf,
        zoneOverrides,
      }),
    });
  }

  list(): OutputView[] {
    return this.#outputs.list();
  }

  /** Switches an output for two seconds. @throws as `Outputs.test` */
  test(name: string, by: Actor): OutputView[] {
    return this.#outputs.test(name, by);
  }

  /** @param outputs those of the configuration */
  async start(outputs: readonly Output[]): Promise<void> {
    this.#former.load(outputs);
    await this.#startPublisher(outputs);
    this.#outputs.start();
    this.#switchFormerOff();
  }

  /** Uses the outputs of a changed configuration. @returns once the former ones are off, or do not answer */
  async exchange(outputs: readonly Output[]): Promise<void> {
    // The connection of a new publisher is not there at once: the former outputs are switched off over the present one.
    await this.#outputs.exchange(outputs, (left) => {
      this.#former.use(outputs, left);
      return this.#startPublisher(outputs);
    });
    this.#switchFormerOff();
  }

  /** Called after each trip. */
  checkSoon(): void {
    this.#outputs.checkSoon();
  }

  async stop(): Promise<void> {
    this.#former.stop(await this.#outputs.stop());
    await this.#publisher?.stop();
  }

  /** A publisher stays connected without topics: they may come back. */
  async #startPublisher(outputs: readonly Output[]): Promise<void> {
    const availability = `santinela/${this.#config.site.ref}/outputs/availability`;
    if (this.#availability !== availability) {
      // A reload has changed the reference: at the former one the outputs are offline.
      await this.#publisher?.stop();
      this.#publisher = undefined;
    }
    this.#availability = availability;
    if (this.#publisher || (this.#former.isEmpty && !outputs.some(({ target }) => target.by === "mqtt")))
      return;
    const publisher = this.#newPublisher();
    this.#publisher = publisher;
    await publisher?.start(() => {
      publisher.publish(availability, "online");
      this.#outputs.repeatTopics();
      this.#switchFormerOff();
    }, availability);
  }

  /** Without a broker in the configuration nothing can. */
  #switchFormerOff(): void {
    if (this.#publisher) void this.#former.check();
  }

  #deviceOf(target: Output["target"], { backend, ...gpio }: Config["gpio"]): OutputDevice {
    if (target.by === "gpio")
      return new LineOutput(target, (chip, onEnd) =>
        openDriver(backend, openedChip(gpio, chip), undefined, onEnd),
      );
    return new TopicOutput(target, {
      deliver: (topic, payload, limit) => (this.#publisher ?? NO_BROKER).deliver(topic, payload, limit),
    });
  }
}

type Publisher = NonNullable<ReturnType<Inputs["outputPublisher"]>>;

/** The configuration refuses a topic without a broker; a broker that came with a reload needs a restart. */
const NO_BROKER = {
  deliver: () =>
    Promise.reject(
      new AppError("unavailable", "the broker is new in the configuration", {
        hint: "Restart the daemon to use it.",
      }),
    ),
};
