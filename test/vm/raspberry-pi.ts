import { RELEASE_WALL_MS } from "../../src/domain/clock.ts";

const OBJECTIVES = Array.from({ length: 10 }, (_, index) => index + 1);
const [YARD, DOOR] = [11, 12];
const zone = (id: string, objective: number, input: string): string =>
  `  - { id: ${id}, name: ${id}, kind: perimeter, objective: { type: obiective/cladiri, id: ${objective} }, powerUpDelayS: 0, swinger: false, input: ${input} }`;
const OBJECTIVES_YAML = `objectives: { obiective/cladiri: [ ${[...OBJECTIVES, YARD, DOOR].map((id) => `{ id: ${id}, name: Hall ${id} }`).join(", ")} ] }`;

/** Opened in turn before the panic. Each zone has an objective of its own, so that its trips have an intervention of their own. */
export const ZONES: readonly string[] = OBJECTIVES.map((id) => `gate-${id}`);
/** Of the site's account at the centre. */
export const PASSWORD = "correct horse battery staple";

export const SITE_YAML = `
dataDir: /var/lib/santinela
site: { name: Hala Nord, ref: hala-nord, timezone: UTC }
upstream: { baseUrl: "http://127.0.0.1:8090", email: site@example.org, passwordFile: ./upstream.password }
${OBJECTIVES_YAML}
zones:
${OBJECTIVES.map((id) => zone(`gate-${id}`, id, "{ simulated: true }")).join("\n")}
${zone("yard", YARD, "{ simulated: true }")}
${zone("door", DOOR, "{ gpio: 17, contact: nc }")}
`;

export const CENTRE_YAML = `
site: { name: Dispatch centre, ref: centre }
http: { port: 8090 }
${OBJECTIVES_YAML}
`;

/**
 * What Raspberry Pi OS does in 60-gpiochip4.rules for programs that still open the number that the header had first: a link, which
 * each second event of the chip removes again, because it is there then.
 */
export const LINK_RULE = `SUBSYSTEM=="gpio", KERNEL=="gpiochip0", TEST!="/dev/gpiochip4", SYMLINK+="gpiochip4"\n`;

/** A clock without a battery shows the time of the last shutdown, which looks right. */
export const LAST_SHUTDOWN = new Date(RELEASE_WALL_MS + 30 * 86_400_000).toISOString().slice(0, 19);

/** The time source of chrony: the program below, asked every four seconds. */
export const CHRONY_SOURCE = "server 127.0.0.1 port 1123 iburst minpoll 2 maxpoll 2\n";

/** A time server whose time does not depend on the clock of its machine. Parameter: the time now, in seconds since 1970. */
export const TIME_SERVER_PERL = String.raw`
use IO::Socket::INET;
my ($now) = @ARGV;
sub uptime { open(my $file, "<", "/proc/uptime") or die; (split " ", <$file>)[0] }
my $start = uptime();
# Seconds since 1900 and their fraction, as in RFC 5905.
sub stamp { my $time = $now + 2208988800 + uptime() - $start; pack "NN", int $time, ($time - int $time) * 4294967296 }
my $server = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => 1123, Proto => "udp") or die "no socket: $@";
while (defined $server->recv(my $question, 512)) {
  my $received = stamp();
  # The fourth version, a response; stratum 2, behind another server; accurate to 16 ms.
  my $head = pack("C4 N2 C4", 0x24, 2, 2, 0xfa, 0, 1024, 10, 0, 0, 1);
  $server->send($head . $received . substr($question, 40, 8) . $received . stamp());
}
`;
