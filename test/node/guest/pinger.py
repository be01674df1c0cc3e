#!/usr/bin/python3 -SE
"""Pings an address at an interval for ever and prints the time of every reply (seconds since 1970), and `stopped FROM UNTIL` for every period
in which the pinger itself did not run.

ping(8) is not precise enough: with an interval of 10 ms it sends only every 20 ms, and with a shorter one it uses the CPU all the time.
    pinger.py ADDRESS INTERVAL-IN-MS
"""
import os, select, socket, struct, sys, time

INTERVAL = int(sys.argv[2]) / 1000
# Seconds of delay from which on the whole node was paused, because the pinger has the highest priority on the node.
LATE = 0.02
address = sys.argv[1]
v6 = ':' in address
request, answer = (128, 129) if v6 else (8, 0)
sock = socket.socket(socket.AF_INET6 if v6 else socket.AF_INET, socket.SOCK_RAW, 58 if v6 else 1)
sock.setblocking(False)
ident = os.getpid() & 0xFFFF
padding = b'x' * 16
out = open(1, 'wb', buffering=0)


def echo(sequence):
    """Returns an echo request; for IPv6 the kernel fills in the checksum."""
    packet = struct.pack('!BBHHH', request, 0, 0, ident, sequence) + padding
    if v6:
        return packet
    total = sum(struct.unpack('!12H', packet))
    total = (total >> 16) + (total & 0xFFFF)
    total += total >> 16
    return packet[:2] + struct.pack('!H', ~total & 0xFFFF) + packet[4:]


sequence = 0
due = time.time()
while True:
    wait = due - time.time()
    if wait <= 0:
        if wait < -LATE:
            out.write(b'stopped %.3f %.3f\n' % (due, due - wait))
        sequence = (sequence + 1) & 0xFFFF
        try:
            sock.sendto(echo(sequence), (address, 0))
        except OSError:
            pass  # a missing route counts as silence
        due = max(due + INTERVAL, time.time())  # after a pause, the missed requests are not sent
        continue
    if not select.select([sock], [], [], wait)[0]:
        continue
    try:
        packet = sock.recv(2048)
    except OSError:
        continue  # an error report of an earlier request
    if not v6:
        packet = packet[(packet[0] & 15) * 4:]  # a raw IPv4 socket shows the IP header
    kind, _, _, got = struct.unpack('!BBHH', packet[:6])
    if kind == answer and got == ident:
        out.write(b'%.3f\n' % time.time())
