#!/usr/bin/perl
# Gives the daemon access to the kernel's GPIO character device, because Node.js has no ioctl. Structures and numbers
# are those of linux/gpio.h, version 2 (Linux 5.10 and later). Output is one line of tab-separated fields each:
#   chips PATH...     chip PATH LABEL LINES
#                     end PATH                     after the last line of each chip
#   list PATH...      the same, and before its end:
#                     line PATH OFFSET NAME HOLDER DIRECTION LEVEL   (empty if not applicable)
#   watch PATH LABEL  on standard input "open OFFSET BIAS DEBOUNCE" (microseconds, 0 for none) and "close OFFSET"
#                     level OFFSET 0|1             on opening and every ten seconds
#                     edge OFFSET 0|1 NANOSECONDS  on every edge: the level after it, and its time (CLOCK_MONOTONIC)
#                     edge OFFSET 0|1              the same for a chip without an interrupt, which is read 20 times a second
#                     error OFFSET CODE            CODE as in errno(3); ENODEV also if another chip has got this path
#   drive PATH LABEL  on standard input "set OFFSET 0|1"
#                     set OFFSET 0|1               on each command, once the line has this level
#                     error OFFSET CODE
# The program exits when its input ends, so that it never outlives the daemon.
use strict;
use warnings;
use Errno;

use constant {
    GET_CHIP_INFO   => 0x8044B401,
    GET_LINE_INFO   => 0xC100B405,
    GET_LINE        => 0xC250B407,
    GET_LINE_VALUES => 0xC010B40E,
    SET_LINE_VALUES => 0xC010B40F,
    USED            => 1,
    INPUT           => 4,
    OUTPUT          => 8,
    BOTH_EDGES      => 16 | 32,
    FIRST_LEVEL     => 2,
    DEBOUNCE        => 3,
    LINE_INFO       => 'a32 a32 L L Q x160 x16',
    RISING          => 1,
    EVENT           => 'Q L x36',
    EVENT_BYTES     => 48,
    # Edges that the kernel buffers for a line, and that one read takes.
    EVENTS => 256,
    # Pause between reads: limits how many lines an unstable GPIO line writes to the daemon.
    PAUSE_S      => 0.005,
    POLL_INTERVAL_S => 10,
    # For expanders whose interrupt is not wired: shorter than the shortest signal that must be processed (EN 50131: 400 ms).
    NO_INTERRUPT_INTERVAL_S => 0.05,
    # A bus has disturbances: an access that fails is repeated this often, after a pause.
    RETRIES => 2,
    RETRY_S => 0.01,
};
my %BIAS = ('as-is' => 0, 'pull-up' => 256, 'pull-down' => 512);

$| = 1;
my ($mode, @paths) = @ARGV;
if    ($mode eq 'chips') { describe($_) for @paths }
elsif ($mode eq 'list')  { list($_)     for @paths }
elsif ($mode eq 'drive') { drive(@paths) }
else                     { watch(@paths) }

sub write_fields { print join("\t", @_), "\n" }
sub text         { my ($field) = @_; $field =~ s/\0.*//s; $field =~ s/[\t\n]/ /g; return $field }

sub error_name {
    my $error = $! + 0;
    for my $name (keys %!) { local $! = $error; return $name if $!{$name} }
    return $error;
}

# Asks the kernel only, not the bus of the chip.
sub describe {
    my ($device) = @_;
    open_chip($device) and write_fields('end', $device);
}

sub open_chip {
    my ($device) = @_;
    open(my $chip, '+<', $device) or do { write_fields('error', $device, error_name()); return };
    my $info = "\0" x 68;
    ioctl($chip, GET_CHIP_INFO, $info) or do { write_fields('error', $device, error_name()); return };
    my (undef, $label, $lines) = unpack('a32 a32 L', $info);
    write_fields('chip', $device, text($label), $lines);
    return ($chip, $lines);
}

sub list {
    my ($device) = @_;
    my ($chip, $lines) = open_chip($device) or return;
    my $is_answering = 1;
    for my $offset (0 .. $lines - 1) {
        my $line = pack(LINE_INFO, '', '', $offset, 0, 0);
        ioctl($chip, GET_LINE_INFO, $line) or next;
        my ($name, $holder, undef, undef, $flags) = unpack(LINE_INFO, $line);
        my $level = '';
        # Each level of an expander whose bus hangs takes a second: after the first one its others are not read.
        if ($is_answering && !($flags & USED) && ($flags & INPUT) && (my $handle = request($chip, $offset, 0))) {
            $level = level($handle);
            $is_answering = defined $level;
            $level //= '';
        }
        $holder = 'kernel' if ($flags & USED) && text($holder) eq '';
        write_fields('line', $device, $offset, text($name), text($holder), $flags & OUTPUT ? 'out' : 'in', $level);
    }
    write_fields('end', $device);
}

# Requests one line; with flags 0 its direction and bias stay unchanged. An attribute is its number and its value.
sub request {
    my ($chip, $offset, $flags, @with) = @_;
    my @attribute = @with ? (1, $with[0], 0, $with[1], 1) : (0, 0, 0, 0, 0);
    my $request = pack('L L63 a32 Q L x20 L L L x4 Q x216 L L x20 l',
        $offset, (0) x 63, 'santinela', $flags, @attribute, 1, EVENTS, 0);
    ioctl($chip, GET_LINE, $request) or return;
    open(my $handle, '+<&=', unpack('x588 l', $request)) or return;
    return $handle;
}

sub level {
    my ($handle) = @_;
    my $values = pack('Q Q', 0, 1);
    ioctl($handle, GET_LINE_VALUES, $values) or return;
    return unpack('Q', $values) & 1;
}

# The result of an access to the bus of the chip; undefined if it fails repeatedly.
sub retried {
    my ($access) = @_;
    for my $retry (1 .. RETRIES) {
        my $result = $access->();
        return $result if defined $result || !($!{EIO} || $!{EREMOTEIO} || $!{ETIMEDOUT});
        select(undef, undef, undef, RETRY_S);
    }
    return $access->();
}

sub drive {
    my ($device, $label) = @_;
    my %handle;
    while (my $command = <STDIN>) {
        my (undef, $offset, $level) = split(/ /, $command);
        $level = $level ? $level + 0 : 0;
        my $values = pack('Q Q', $level, 1);
        if (!$handle{$offset}) {
            my $chip = chip_of($device, $label) or do { write_fields('error', $offset, $!{ENOENT} ? 'ENODEV' : error_name()); next };
            $handle{$offset} = request($chip, $offset, OUTPUT, FIRST_LEVEL, $level);
            if (!$handle{$offset}) { close_failed(\%handle, $offset); next }
        }
        elsif (!ioctl($handle{$offset}, SET_LINE_VALUES, $values)) { close_failed(\%handle, $offset); next }
        write_fields('set', $offset, $level);
    }
}

sub watch {
    my ($device, $label) = @_;
    my (%handle, %polled);
    my ($commands, $poll_at) = ('', time + POLL_INTERVAL_S);
    while (1) {
        my $ready = '';
        vec($ready, fileno(STDIN), 1) = 1;
        vec($ready, fileno($_),    1) = 1 for values %handle;
        next if select($ready, undef, undef, %polled ? NO_INTERRUPT_INTERVAL_S : POLL_INTERVAL_S) < 0;
        for my $offset (keys %handle) {
            write_edges(\%handle, $offset) if vec($ready, fileno($handle{$offset}), 1);
        }
        if (vec($ready, fileno(STDIN), 1)) {
            sysread(STDIN, $commands, 4096, length $commands) or exit 0;
            while ($commands =~ s/^(.*)\n//) { run_command(\%handle, \%polled, [$device, $label], split(/ /, $1)) }
        }
        write_change(\%handle, \%polled, $_) for keys %polled;
        if (time >= $poll_at || $poll_at > time + POLL_INTERVAL_S) {
            write_level(\%handle, $_) for keys %handle;
            $poll_at = time + POLL_INTERVAL_S;
        }
        select(undef, undef, undef, PAUSE_S);
    }
}

sub run_command {
    my ($handle, $polled, $of, $command, $offset, $bias, $debounce) = @_;
    delete $handle->{$offset};
    delete $polled->{$offset};
    return if $command eq 'close';
    my $chip = chip_of(@$of) or do { write_fields('error', $offset, $!{ENOENT} ? 'ENODEV' : error_name()); return };
    my @with = $debounce ? (DEBOUNCE, $debounce) : ();
    my $opened = retried(sub { request($chip, $offset, INPUT | BOTH_EDGES | $BIAS{$bias}, @with) });
    if (!$opened && ($!{ENXIO} || $!{ENODEV})) {
        $opened = retried(sub { request($chip, $offset, INPUT | $BIAS{$bias}) });
        $polled->{$offset} = retried(sub { level($opened) }) if $opened;
    }
    if (!$opened) { write_fields('error', $offset, error_name()); return }
    $handle->{$offset} = $opened;
    # Read the level after the request, so that no edge is lost between this level and the first edge event.
    write_level($handle, $offset);
}

# Opens the chip again for each line: after a chip was unplugged and reconnected, its name is a different device.
sub chip_of {
    my ($device, $label) = @_;
    open(my $chip, '+<', $device) or return;
    my $info = "\0" x 68;
    ioctl($chip, GET_CHIP_INFO, $info) or return;
    my (undef, $found) = unpack('a32 a32', $info);
    return $chip if text($found) eq $label;
    $! = Errno::ENODEV;
    return;
}

sub write_level {
    my ($handle, $offset) = @_;
    my $level = retried(sub { level($handle->{$offset}) });
    return close_failed($handle, $offset) if !defined $level;
    write_fields('level', $offset, $level);
}

sub write_change {
    my ($handle, $polled, $offset) = @_;
    my $before = $polled->{$offset};
    my $level  = $handle->{$offset} && retried(sub { level($handle->{$offset}) });
    if (!defined $level) {
        delete $polled->{$offset};
        close_failed($handle, $offset) if $handle->{$offset};
        return;
    }
    $polled->{$offset} = $level;
    write_fields('edge', $offset, $level) if defined $before && $level != $before;
}

sub write_edges {
    my ($handle, $offset) = @_;
    sysread($handle->{$offset}, my $events, EVENTS * EVENT_BYTES) or return close_failed($handle, $offset);
    for my $event (unpack('(a' . EVENT_BYTES . ')*', $events)) {
        my ($at, $edge) = unpack(EVENT, $event);
        write_fields('edge', $offset, $edge == RISING ? 1 : 0, $at);
    }
}

sub close_failed {
    my ($handle, $offset) = @_;
    write_fields('error', $offset, error_name());
    delete $handle->{$offset};
}
