# Makes a wpa_supplicant that runs without wifi in the kernel out of Debian's, in place: wired-supplicant.py FILE
# Debian's asks its first driver, nl80211, for the NICs there are as soon as it starts, and ends when the kernel has no such thing. Afterwards
# the wired driver is the first. The table of drivers is found by what it points at: structures that begin with a driver's name.
import os
import struct
import sys

path = sys.argv[1]
image = bytearray(open(path, "rb").read())
sections, size, count = struct.unpack_from("<Q", image, 40)[0], *struct.unpack_from("<HH", image, 58)
# what the loader fills in: where in the file an address is written, by where in memory it goes
at, points_to = {}, {}
for section in range(count):
    kind, _, _, start, length = struct.unpack_from("<IQQQQ", image, sections + section * size + 4)
    for entry in range(start, start + length, 24) if kind == 4 else ():
        offset, info, address = struct.unpack_from("<QQq", image, entry)
        if info == 8:
            at[offset], points_to[offset] = entry + 16, address


def places(name):
    """Places in memory that point at a driver of this name."""
    text = name.encode() + b"\0"
    drivers = {place for place, to in points_to.items() if image[to : to + len(text)] == text}
    return [place for place, to in points_to.items() if to in drivers]


tables = [(a, b) for a in places("nl80211") for b in places("wired") if 0 < b - a < 64]
if len(tables) != 1:
    sys.exit(f"no table of drivers, or more than one, in {path}: {tables}")
first, wired = (at[place] for place in tables[0])
image[first : first + 8], image[wired : wired + 8] = image[wired : wired + 8], image[first : first + 8]
# never half written, and not into the one that may be running
with open(f"{path}.new", "wb") as file:
    file.write(image)
os.chmod(file.name, 0o755)
os.replace(file.name, path)
