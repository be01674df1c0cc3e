# Changes Debian's wpa_supplicant, so that it runs on a kernel without wifi: wired-supplicant.py FILE
# At its start Debian's program asks its first driver, nl80211, for the NICs, and exits if the kernel lacks nl80211. The change makes the driver for
# wired NICs the first one. It finds the table of drivers by its pointers: each points to a structure that begins with a driver's name.
import os
import struct
import sys

path = sys.argv[1]
image = bytearray(open(path, "rb").read())
sections, size, count = struct.unpack_from("<Q", image, 40)[0], *struct.unpack_from("<HH", image, 58)
# addresses that the loader writes: their offsets in the file, by their offsets in memory
at, points_to = {}, {}
for section in range(count):
    kind, _, _, start, length = struct.unpack_from("<IQQQQ", image, sections + section * size + 4)
    for entry in range(start, start + length, 24) if kind == 4 else ():
        offset, info, address = struct.unpack_from("<QQq", image, entry)
        if info == 8:
            at[offset], points_to[offset] = entry + 16, address


def places(name):
    """Returns offsets in memory of pointers to a driver of this name."""
    text = name.encode() + b"\0"
    drivers = {place for place, to in points_to.items() if image[to : to + len(text)] == text}
    return [place for place, to in points_to.items() if to in drivers]


tables = [(a, b) for a in places("nl80211") for b in places("wired") if 0 < b - a < 64]
if len(tables) != 1:
    sys.exit(f"no table of drivers, or more than one, in {path}: {tables}")
first, wired = (at[place] for place in tables[0])
image[first : first + 8], image[wired : wired + 8] = image[wired : wired + 8], image[first : first + 8]
# replaces the file at once, so that it is never incomplete, and a running program keeps its file
with open(f"{path}.new", "wb") as file:
    file.write(image)
os.chmod(file.name, 0o755)
os.replace(file.name, path)
