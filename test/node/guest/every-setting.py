#!/usr/bin/env python3
"""every-setting.py list: prints each property of NetworkManager's settings, as libnm describes them, in a profile that libnm accepts.
every-setting.py check: reads lists of profiles, and prints each profile as libnm normalizes it, or the reason why libnm refuses it.

Each line of input and output is a JSON value. A profile is {setting: {property: [signature, value]}}, with byte arrays in hex."""
import itertools
import json
import sys
import warnings

import gi

gi.require_version("NM", "1.0")
from gi.repository import GLib, GObject, NM  # noqa: E402

warnings.simplefilter("ignore")  # libnm warns of values outside of a property's range, and of deprecated settings
ALL, OPEN = NM.ConnectionSerializationFlags.ALL, NM.ConnectionSerializationFlags.WITH_NON_SECRET
UUID = "00000000-0000-4000-8000-000000000000"
KINDS = ["802-3-ethernet", "vlan", "bond", "team", "bridge", "tun", "macvlan", "vxlan", "veth", "dummy", "macsec",
         "port of bond", "port of team", "port of bridge"]


def plain(v):
    """Returns the JSON value of a GVariant, without its outermost signature."""
    s = v.get_type_string()
    if s == "v":
        inner = v.get_variant()
        return [inner.get_type_string(), plain(inner)]
    if s == "ay":
        return bytes(v.get_data_as_bytes().get_data()).hex()
    if s[0] in "a(" and s[:2] != "a{":
        return [plain(v.get_child_value(i)) for i in range(v.n_children())]
    if s[:2] == "a{":
        pairs = (v.get_child_value(i) for i in range(v.n_children()))
        return {p.get_child_value(0).unpack(): plain(p.get_child_value(1)) for p in pairs}
    value = v.unpack()
    return str(value) if s in "xt" and abs(value) > 2**53 - 1 else value


def variant(sig, value):
    """Returns the GVariant of a JSON value; the inverse of plain()."""
    if sig == "v":
        return GLib.Variant("v", variant(*value))
    if sig == "ay":
        return GLib.Variant.new_from_bytes(GLib.VariantType("ay"), GLib.Bytes.new(bytes.fromhex(value)), True)
    if sig[:2] == "a{":
        item = sig[3:-1]
        entries = [GLib.Variant.new_dict_entry(GLib.Variant("s", k), variant(item, x)) for k, x in value.items()]
        return GLib.Variant.new_array(GLib.VariantType(sig[1:]), entries)
    if sig[0] == "a":
        return GLib.Variant.new_array(GLib.VariantType(sig[1:]), [variant(sig[1:], x) for x in value])
    if sig[0] == "(":
        types, rest = [], sig[1:-1]
        while rest:
            end = next(n for n in range(1, len(rest) + 1) if GLib.VariantType.string_is_valid(rest[:n]))
            types.append(rest[:end])
            rest = rest[end:]
        return GLib.Variant.new_tuple(*[variant(t, x) for t, x in zip(types, value)])
    return GLib.Variant(sig, int(value) if sig in "xt" else value)


def as_json(connection, flags):
    wire = connection.to_dbus(flags)
    return {wire.get_child_value(i).get_child_value(0).unpack(): plain(wire.get_child_value(i).get_child_value(1))
            for i in range(wire.n_children())}


def setting_types():
    for name in sorted(dir(NM)):
        kind = getattr(NM, name)
        if isinstance(kind, type) and issubclass(kind, NM.Setting) and not kind.__gtype__.is_abstract():
            yield kind


def base(kind):
    """Returns a profile of this kind that libnm accepts, with default values."""
    c = NM.SimpleConnection.new()
    s = NM.SettingConnection.new()
    for key, value in (("id", "profile"), ("uuid", UUID), ("type", kind), ("interface-name", "nic0")):
        s.set_property(key, value)
    c.add_setting(s)
    if kind == "802-3-ethernet":
        c.add_setting(NM.SettingWired.new())
    if kind == "vlan":
        v = NM.SettingVlan.new()
        v.set_property("parent", "eth0")
        v.set_property("id", 100)
        c.add_setting(v)
    if kind == "bond":
        b = NM.SettingBond.new()
        b.add_option("mode", "active-backup")
        c.add_setting(b)
    if kind == "bridge":
        c.add_setting(NM.SettingBridge.new())
    if kind == "team":
        c.add_setting(NM.SettingTeam.new())
    if kind == "tun":
        t = NM.SettingTun.new()
        t.set_property("mode", 2)
        c.add_setting(t)
    if kind in ("macvlan", "vxlan", "veth", "dummy", "macsec"):
        d = {"macvlan": NM.SettingMacvlan, "vxlan": NM.SettingVxlan, "veth": NM.SettingVeth, "dummy": NM.SettingDummy,
             "macsec": NM.SettingMacsec}[kind].new()
        more = {"macvlan": {"parent": "eth0", "mode": NM.SettingMacvlanMode.BRIDGE}, "vxlan": {"id": 7, "remote": "192.0.2.9"},
                "veth": {"peer": "peer0"}, "dummy": {},
                "macsec": {"parent": "eth0", "mode": NM.SettingMacsecMode.PSK, "mka-cak": "0" * 32, "mka-ckn": "1" * 64}}[kind]
        for key, value in more.items():
            d.set_property(key, value)
        c.add_setting(d)
    if kind.startswith("port of "):
        s.set_property("type", "802-3-ethernet")
        s.set_property("controller", UUID[:-1] + "1")
        s.set_property("port-type", kind[8:])
        c.add_setting(NM.SettingWired.new())
        return c
    for ip, method in ((NM.SettingIP4Config.new(), "auto"), (NM.SettingIP6Config.new(), "auto")):
        ip.set_property("method", method)
        c.add_setting(ip)
    return c


STRINGS = ["something", "auto", "1", "eth7", "yes", UUID, "52:54:00:12:34:56", "192.0.2.7", "2001:db8::7", "::7", "public",
           "/etc/x", "full", "tp", "s0,s1", "02:00:00:00:00:01", "0123456789abcdef0123456789abcdef", "random", "preserve", "any",
           "disabled", "shared", "manual", "none", "md5", "1.2.3.4", "tls", "0", "mschapv2", "dhcp-client", "600", "ll",
           "file:///etc/x", "iburst", "0.0.2.1", "0.0.2.1,0.0.2.2", "qeth", "layer2=1", "1:2", "psk", "+u", "p", "bond", "br0",
           "2001:db8::/64", "192.0.2.0/24", "802.1ad", "CS4", "01:80:C2:00:00:05", "activebackup", "192.0.2.8", "example.org", "a" * 64, '{"runner":{"name":"lacp"}}', "stable"]


def candidates(spec):
    """Returns values of a property's type, in the order in which cases() tries them."""
    t, default = spec.value_type, spec.get_default_value()
    name = t.name
    if name == "gboolean":
        return [not default]
    if t.is_a(GObject.TYPE_ENUM) or t.is_a(GObject.TYPE_FLAGS) or name in ("gint", "guint", "gint64", "guint64", "guchar"):
        numbers = [1, 2, 3, 0, 5, 7, 64, 100, 1280, 1400, 65000]
        if hasattr(spec, "minimum"):
            numbers = [n for n in numbers + [spec.minimum, spec.maximum] if spec.minimum <= n <= spec.maximum]
        return [n for n in numbers if n != default]
    if name == "gchararray":
        return [s for s in STRINGS if s != default]
    if name == "GStrv":
        return [[s] for s in STRINGS]
    if name == "GBytes":
        return [GLib.Bytes.new(b) for b in (b"file:///etc/x\0", b"some bytes", b"\x01" * 20, b"\x02" * 6)]
    return []


def special(setting, key):
    """Returns a function that sets a property which is a list or map, or needs other properties; None for other properties."""
    family = 2 if setting.get_name() == "ipv4" else 10
    ip, other, net = ("192.0.2.50", "192.0.2.1", "198.51.100.0") if family == 2 else ("2001:db8::50", "2001:db8::1", "2001:db8:7::")
    prefix, length = (24, 24) if family == 2 else (64, 64)

    def manual(work):
        def do(s):
            s.set_property("method", "manual")
            s.add_address(NM.IPAddress.new(family, ip, prefix))
            work(s)
        return do

    def rule(s):
        r = NM.IPRoutingRule.new(family)
        r.set_priority(30000)
        r.set_from(net, length)
        r.set_table(100)
        s.add_routing_rule(r)

    makers = {
        "bond.options": lambda s: s.add_option("miimon", "77"),
        "user.data": lambda s: NM.SettingUser.set_data(s, "example.org", "kept"),
        "vlan.ingress-priority-map": lambda s: s.add_priority_str(NM.VlanPriorityMap.INGRESS_MAP, "1:2"),
        "vlan.egress-priority-map": lambda s: s.add_priority_str(NM.VlanPriorityMap.EGRESS_MAP, "3:4"),
        "bridge.vlans": lambda s: (s.set_property("vlan-filtering", True), s.add_vlan(NM.BridgeVlan.new(5, 9))),
        "sriov.vfs": lambda s: (s.set_property("total-vfs", 3), s.add_vf(NM.SriovVF.new(1))),
        "tc.qdiscs": lambda s: s.add_qdisc(NM.TCQdisc.new("fq_codel", 0xFFFFFFFF)),
        "tc.tfilters": lambda s: s.add_tfilter(tfilter()),
        "team.link-watchers": lambda s: s.add_link_watcher(NM.TeamLinkWatcher.new_ethtool(5, 7)),
        "802-3-ethernet.s390-options": lambda s: s.add_s390_option("layer2", "1"),
        "802-3-ethernet.s390-subchannels": lambda s: s.set_property("s390-subchannels", ["0.0.8000", "0.0.8001", "0.0.8002"]),
        "802-3-ethernet.wake-on-lan-password": lambda s: (
            s.set_property("wake-on-lan", NM.SettingWiredWakeOnLan.MAGIC), s.set_property("wake-on-lan-password", "52:54:00:12:34:56")),
        "bridge-port.vlans": lambda s: s.add_vlan(NM.BridgeVlan.new(5, 9)),
        "team-port.link-watchers": lambda s: s.add_link_watcher(NM.TeamLinkWatcher.new_ethtool(5, 7)),
        "connection.permissions": lambda s: s.add_permission("user", "root", None),
        "proxy.pac-url": lambda s: (s.set_property("method", 1), s.set_property("pac-url", "http://example.org/pac")),
        "proxy.pac-script": lambda s: (s.set_property("method", 1), s.set_property("pac-script", "function FindProxyForURL(u, h) {}")),
    }
    for ping in ("ip-ping-addresses", "ip-ping-timeout"):
        makers["connection." + ping] = lambda s: (s.set_property("ip-ping-addresses", ["2001:db8::1"]), s.set_property("ip-ping-timeout", 7),
                                                  s.ipv6.set_property("may-fail", False))
    on, each = NM.SettingDcbFlags.ENABLE, lambda s, what, value: [getattr(s, "set_" + what)(n, value) for n in range(8)]
    makers["dcb.priority-flow-control"] = lambda s: (s.set_property("priority-flow-control-flags", on), s.set_priority_flow_control(1, True))
    for what, values in (("priority-bandwidth", [7] * 8), ("priority-group-id", [3] * 8), ("priority-traffic-class", [2] * 8),
                         ("priority-strict-bandwidth", [True] * 8), ("priority-group-bandwidth", [100] + [0] * 7)):
        def fill(s, what=what, values=values):
            s.set_property("priority-group-flags", on)
            each(s, "priority_group_bandwidth", 0)
            s.set_priority_group_bandwidth(0, 100)
            for n, value in enumerate(values):
                getattr(s, "set_" + what.replace("-", "_"))(n, value)
        makers["dcb." + what] = fill
    for app in ("fcoe", "iscsi", "fip"):
        def priority(s, app=app):
            s.set_property(f"app-{app}-flags", on)
            s.set_property(f"app-{app}-priority", 5)
        makers[f"dcb.app-{app}-priority"] = priority
    makers["dcb.app-fcoe-mode"] = lambda s: (s.set_property("app-fcoe-flags", on), s.set_property("app-fcoe-mode", "vn2vn"))
    makers["802-1x.phase2-autheap"] = lambda s: (s.set_property("phase2-auth", None), s.set_property("phase2-autheap", "tls"))
    makers["macvlan.promiscuous"] = lambda s: (s.set_property("mode", NM.SettingMacvlanMode.PASSTHRU), s.set_property("promiscuous", False))
    makers["vxlan.source-port-min"] = lambda s: (s.set_property("source-port-max", 9), s.set_property("source-port-min", 7))
    makers["ppp.lcp-echo-failure"] = lambda s: (s.set_property("lcp-echo-interval", 9), s.set_property("lcp-echo-failure", 7))
    makers["ipv6.token"] = lambda s: (s.set_property("addr-gen-mode", 0), s.set_property("token", "::7"))
    runner = lambda name, key, value: (lambda s: (s.set_property("runner", name), s.set_property(key, value)))
    makers.update({
        "team.runner-active": runner("lacp", "runner-active", False),
        "team.runner-fast-rate": runner("lacp", "runner-fast-rate", True),
        "team.runner-sys-prio": runner("lacp", "runner-sys-prio", 7),
        "team.runner-min-ports": runner("lacp", "runner-min-ports", 2),
        "team.runner-agg-select-policy": runner("lacp", "runner-agg-select-policy", "bandwidth"),
        "team.runner-hwaddr-policy": runner("activebackup", "runner-hwaddr-policy", "by_active"),
        "team.runner-tx-balancer": runner("loadbalance", "runner-tx-balancer", "basic"),
        "team.runner-tx-balancer-interval": runner("loadbalance", "runner-tx-balancer-interval", 70),
    })
    for v in ("ipv4", "ipv6"):
        makers.update({
            f"{v}.addresses": manual(lambda s: s.add_address(NM.IPAddress.new(family, other, prefix))),
            f"{v}.gateway": manual(lambda s: s.set_property("gateway", other)),
            f"{v}.routes": lambda s: s.add_route(NM.IPRoute.new(family, net, length, other, 77)),
            f"{v}.routing-rules": rule,
            f"{v}.dns": lambda s: s.add_dns(other),
            f"{v}.dns-options": lambda s: s.add_dns_option("edns0"),
            f"{v}.dhcp-hostname-flags": lambda s: (
                s.set_property("dhcp-fqdn" if family == 2 else "dhcp-hostname", "node.example.org"), s.set_property("dhcp-hostname-flags", 3 if family == 2 else 1)),
        })
    return makers.get(f"{setting.get_name()}.{key}")


def tfilter():
    f = NM.TCTfilter.new("matchall", 0xFFFFFFFF)
    f.set_action(NM.TCAction.new("simple"))
    return f


def furnish(setting):
    """Sets the properties without which libnm refuses the setting, and returns the setting."""
    if setting.get_name() == "802-1x":
        for key, value in (("eap", ["peap"]), ("identity", "node"), ("phase2-auth", "mschapv2")):
            setting.set_property(key, value)
    return setting


def accepted(connection):
    """Returns True if libnm accepts the profile after it has completed it as NetworkManager does."""
    try:
        return connection.normalize(None)[0] is not None and connection.verify()
    except GLib.Error:
        return False


done = set()


def cases(kind):
    plainly = base(kind)
    assert accepted(plainly), kind
    unset = as_json(plainly, ALL)
    yield {"kind": kind, "setting": None, "key": None, "profile": as_json(plainly, OPEN), "secret": False}
    for setting_kind in setting_types():
        probe = setting_kind.new()
        name = probe.get_name()
        keys = [p for p in probe.list_properties() if p.name != "name" and p.flags & GObject.ParamFlags.WRITABLE]
        attempts = [(p.name, [special(probe, p.name)] if special(probe, p.name) else
                     [(lambda s, v=v, k=p.name: s.set_property(k, v)) for v in candidates(p)]) for p in keys]
        if name == "ethtool":
            values = [GLib.Variant(sig, value) for sig, value in (("b", True), ("u", 1), ("i", 1), ("u", 2))]
            options = sorted(getattr(NM, n) for n in dir(NM) if n.startswith("ETHTOOL_OPTNAME_"))
            attempts = [(o, [(lambda s, o=o, v=v: s.option_set(o, v)) for v in values]) for o in options]
        for key, works in attempts:
            if (name, key) in done and name != kind:
                continue
            found = None
            for work in works:
                c = base(kind)
                s = c.get_setting(setting_kind)
                if s is None:
                    s = furnish(setting_kind.new())
                    c.add_setting(s)
                s.ipv6 = c.get_setting(NM.SettingIP6Config)
                try:
                    work(s)
                except (TypeError, OverflowError, GLib.Error, ValueError):
                    continue
                if not accepted(c) or c.get_connection_type() != plainly.get_connection_type():
                    continue
                if as_json(c, ALL).get(name) != unset.get(name):
                    secret = as_json(c, ALL).get(name) != as_json(c, OPEN).get(name)
                    done.add((name, key))
                    found = {"kind": kind, "setting": name, "key": key, "profile": as_json(c, OPEN), "secret": secret}
                    break
            yield found or {"kind": kind, "setting": name, "key": key, "profile": None, "secret": False}


def check(profile):
    wire = GLib.Variant("a{sa{sv}}", {s: {k: variant(*v) for k, v in p.items()} for s, p in profile.items()})
    try:
        c = NM.SimpleConnection.new_from_dbus(wire)
        c.normalize(None)
        c.verify()
    except GLib.Error as error:
        return {"refused": error.message}
    return {"profile": as_json(c, ALL)}


if sys.argv[1] == "list":
    for case in itertools.chain(*map(cases, KINDS)):
        print(json.dumps(case))
else:
    for line in sys.stdin:
        print(json.dumps([check(profile) for profile in json.loads(line)]))
