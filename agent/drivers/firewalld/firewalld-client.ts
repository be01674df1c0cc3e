import { AgentError, isAgentError, messageOf } from '../../errors.ts';
import type { InterfaceZones, ZoneSources } from '../../model/firewall.ts';
import { type Bus, daemonCall, type MethodCall } from '../dbus/bus-connection.ts';
import { DBusReplyError } from '../dbus/dbus-errors.ts';

/**
 * Bus name of firewalld; its object with the runtime configuration (`running`), and its object with the permanent
 * configuration (firewalld.dbus(5)).
 */
const destination = 'org.fedoraproject.FirewallD1';
const running = { destination, path: '/org/fedoraproject/FirewallD1', interface: `${destination}.zone` };
const permanent = { destination, path: '/org/fedoraproject/FirewallD1/config', interface: `${destination}.config` };

/**
 * Time limit for a call to firewalld. firewalld runs its back end for every change, which takes seconds on a machine
 * with thousands of rules.
 */
const changeMs = 30_000;

/**
 * Zones of firewalld over D-Bus. The driver never reloads firewalld, because a reload would flush the rules of
 * ovn-kubernetes.
 */
export interface Firewalld {
  sources(zone: string): Promise<ZoneSources>;
  /**
   * Returns the default zone, and the zone of each interface that an active zone of the runtime configuration lists.
   */
  interfaceZones(): Promise<InterfaceZones>;
  /** Adds a source to a zone of the runtime configuration. Does nothing if the zone already has the source. */
  addRunning(zone: string, source: string): Promise<void>;
  /**
   * Adds a source to a zone of the permanent configuration, which firewalld uses from its next start or reload on. Does
   * nothing if the zone already has the source.
   */
  addPermanent(zone: string, source: string): Promise<void>;
}

/** Returns a client of firewalld on this bus; null if firewalld is not running. Never starts firewalld. */
export async function openFirewalld(bus: Bus): Promise<Firewalld | null> {
  const [owned] = await bus.call(daemonCall('NameHasOwner', destination));
  if (owned !== true) return null;
  const request = (what: string, call: MethodCall): Promise<unknown[]> =>
    bus.call({ timeoutMs: changeMs, ...call }).catch((error: unknown) => {
      throw refused(what, error);
    });
  const configOf = async (zone: string): Promise<Pick<MethodCall, 'destination' | 'path' | 'interface'>> => {
    const call = { ...permanent, member: 'getZoneByName', signature: 's', body: [zone] };
    const [path] = await request(`find the zone ${zone}`, call);
    return { destination, path: String(path), interface: `${destination}.config.zone` };
  };
  return {
    sources: async (zone) => {
      const [now, config] = await Promise.all([
        request(`read the zone ${zone}`, { ...running, member: 'getSources', signature: 's', body: [zone] }),
        configOf(zone),
      ]);
      const [later] = await request(`read the zone ${zone}`, { ...config, member: 'getSources' });
      return { zone, running: now[0] as string[], permanent: later as string[] };
    },
    interfaceZones: async () => {
      const [[defaultZone], [zones]] = await Promise.all([
        request('report its default zone', { ...running, interface: destination, member: 'getDefaultZone' }),
        request('list its zones', { ...running, member: 'getActiveZones' }),
      ]);
      // getActiveZones returns a value of the signature a{sa{sas}}: for each zone, the names in `interfaces` and
      // `sources`.
      const active = Object.entries(zones as Record<string, { readonly interfaces?: readonly string[] }>);
      const assigned = active.flatMap(([zone, { interfaces = [] }]) => interfaces.map((name) => [name, zone] as const));
      return { defaultZone: String(defaultZone), assigned: Object.fromEntries(assigned) };
    },
    addRunning: async (zone, source) => {
      const call = { ...running, member: 'addSource', signature: 'ss', body: [zone, source] };
      await request(`trust ${source}`, call).catch(unlessThere);
    },
    addPermanent: async (zone, source) => {
      const call = { ...(await configOf(zone)), member: 'addSource', signature: 's', body: [source] };
      await request(`trust ${source} for good`, call).catch(unlessThere);
    },
  };
}

/**
 * Ignores the refusal of a source that the zone already has, for example because another program has added it in the
 * meantime. Throws every other error. For example, if the source is in another zone, only the administrator can resolve
 * the error.
 */
function unlessThere(error: unknown): void {
  if (isAgentError(error) && /ALREADY_ENABLED|ZONE_ALREADY_SET/.test(error.message)) return;
  throw error;
}

function refused(what: string, error: unknown): AgentError {
  if (isAgentError(error) && error.kind === 'dbus-timeout') {
    return new AgentError('dbus-timeout', `firewalld did not answer within ${changeMs / 1000} s: ${what}`, {
      hint: 'check whether it answers (timeout 10 firewall-cmd --state), restart it if it does not, then run the command again',
      cause: error,
    });
  }
  if (isAgentError(error)) return error;
  return new AgentError('firewalld-refused', `firewalld refused to ${what}: ${messageOf(error)}`, {
    hint: 'look at journalctl -u firewalld; a source can be in one zone only: firewall-cmd --get-zone-of-source=SOURCE',
    cause: error,
    ...(error instanceof DBusReplyError ? { facts: { dbusError: error.errorName } } : {}),
  });
}
