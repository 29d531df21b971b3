/** Sends a request to the control socket. In Perl, which starts ten times faster than Node.js under emulation. */
export const CONTROL_REQUEST_PERL = String.raw`
use IO::Socket::UNIX;
my $daemon = IO::Socket::UNIX->new(Peer => "/var/lib/santinela/control.sock") or die "no control socket: $!";
print $daemon "GET $ARGV[0] HTTP/1.0\r\nHost: santinela\r\n\r\n";
my ($head, $body) = split /\r\n\r\n/, join("", <$daemon>), 2;
die $head unless $head =~ m{^HTTP/1\.\d 200 };
print $body;
`;
