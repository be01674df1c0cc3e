import { AgentError } from '../../errors.ts';
import {
  type ConfigValue,
  configList,
  deviceValue,
  namesDevice,
  namesProfile,
} from '../../model/network-manager-config.ts';
import type { Observation } from '../../model/observation.ts';
import type { WantedBridge } from '../../model/plan.ts';
import { textOf } from '../../model/profile-settings.ts';

/*
 * Settings of NetworkManager's configuration that keep NetworkManager from managing a bridge that does not exist yet.
 * `unmanaged-devices` of [keyfile] also overrides a request to activate a profile (src/core/devices/nm-device.c,
 * _get_managed_by_flags: NM_UNMANAGED_USER_SETTINGS). `managed=0` of [device] does not (NM_UNMANAGED_USER_CONF), so no
 * plan is refused for it. `allowed-connections` of [device] restricts the profiles that may be active on a device.
 */

/**
 * Fails with `bridge-unmanaged` if NetworkManager's configuration keeps NetworkManager from managing a bridge whose
 * profiles are not all active yet.
 */
export function refuseUnmanaged({ bridge, profiles }: WantedBridge, { networkManager }: Observation): void {
  const { config = [], activeConnections } = networkManager;
  const isRunning = profiles.every(({ uuid }) => activeConnections.some((active) => active.uuid === uuid));
  if (config.length === 0 || isRunning) return;
  const keyfile = config.find(({ name }) => name === 'keyfile');
  const unmanaged = keyfile?.values['unmanaged-devices'];
  for (const { id, uuid, settings } of profiles) {
    const device = { name: bridge, type: textOf(settings, 'connection', 'type') ?? '' };
    if (unmanaged !== undefined && namesDevice(configList(unmanaged), device) === true) {
      const where = { value: unmanaged, section: 'keyfile', file: keyfile?.files['unmanaged-devices'] ?? '' };
      throw refusal(bridge, 'unmanaged-devices', where, `except:interface-name:${bridge}`);
    }
    const allowed = deviceValue(config, 'device', 'allowed-connections', device);
    if (allowed !== null && namesProfile(configList(allowed.value), { id, uuid }) !== true) {
      const ids = profiles.map((profile) => `id:${profile.id}`).join(',');
      throw refusal(bridge, 'allowed-connections', allowed, ids);
    }
  }
}

function refusal(bridge: string, key: string, { value, section, file }: ConfigValue, addition: string): AgentError {
  const setting = `${key}=${value}`;
  return new AgentError(
    'bridge-unmanaged',
    `NetworkManager's configuration keeps it off ${bridge}: ${setting} in [${section}] of ${file}`,
    {
      hint: `add ${addition} to ${key} there, then: nmcli general reload`,
      facts: { bridge, setting, file },
    },
  );
}
