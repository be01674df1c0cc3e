#!/usr/bin/python3 -SE
"""Stand-in for a VPN or a hypervisor with a tap device: carries frames between the tap device and a NIC.

    relay.py TAP NIC
"""
import fcntl, os, select, socket, struct, sys, time

TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454CA, 0x2, 0x1000
LARGEST_FRAME = 65536
ALL_FRAMES = 3
tap_name, nic_name = sys.argv[1:]
while not os.path.exists(f'/sys/class/net/{tap_name}'):
    time.sleep(0.1)  # NetworkManager creates the tap device from its profile
tap = os.open('/dev/net/tun', os.O_RDWR)
fcntl.ioctl(tap, TUNSETIFF, struct.pack('16sH22x', tap_name.encode(), IFF_TAP | IFF_NO_PI))
nic = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ALL_FRAMES))
nic.bind((nic_name, ALL_FRAMES))
# SOL_PACKET, PACKET_ADD_MEMBERSHIP: promiscuous, because the tap device has another MAC.
nic.setsockopt(263, 1, struct.pack('iHH8s', socket.if_nametoindex(nic_name), 1, 0, b''))
while True:
    for ready in select.select([tap, nic], [], [])[0]:
        if ready == tap:
            nic.send(os.read(tap, LARGEST_FRAME))
        else:
            frame, origin = nic.recvfrom(LARGEST_FRAME)
            # Packets that this process sent come back as PACKET_OUTGOING.
            if origin[2] != 4:
                try:
                    os.write(tap, frame)
                except OSError:
                    pass  # the tap device is down
