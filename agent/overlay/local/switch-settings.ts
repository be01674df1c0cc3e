import { AgentError } from '../../errors.ts';
import type { EncapType, OverlayNode } from '../../model/overlay.ts';
import type { DatabaseRows } from '../../model/rows.ts';
import { mapOf } from '../rows/row-index.ts';

/**
 * Settings of the cluster that the administrator has made with `ovs-vsctl set Open_vSwitch . external_ids:…`
 * (ovn-controller(8)).
 */
export interface SwitchSettings {
  readonly systemId: string;
  readonly southbound: readonly string[];
  readonly northbound: readonly string[];
  readonly encap: OverlayNode['encap'];
}

/**
 * Reads the settings from the row of Open_vSwitch. `systemId` is used if the row has no system-id. Fails with
 * `bad-usage` if a setting is missing or a tunnel type is unknown. The hint of the error is a command that corrects the
 * setting.
 */
export function switchSettings(rows: DatabaseRows, systemId: string | null): SwitchSettings {
  const ids = mapOf(rows.tables.Open_vSwitch?.[0] ?? null, 'external_ids');
  const need = (key: string, example: string): string => {
    const value = ids[key] ?? '';
    if (value !== '') return value;
    throw new AgentError('bad-usage', `Open vSwitch has no external_ids:${key} yet`, {
      hint: `set it: ovs-vsctl set Open_vSwitch . external_ids:${key}=${example}`,
    });
  };
  return {
    northbound: parts(need('ovn-nb', 'tcp:CENTRAL_IP:6641')),
    southbound: parts(need('ovn-remote', 'tcp:CENTRAL_IP:6642')),
    encap: {
      types: parts(need('ovn-encap-type', 'geneve')).map(encapType),
      addresses: parts(need('ovn-encap-ip', 'LOCAL_IP')),
    },
    systemId: ids['system-id'] ?? systemId ?? need('system-id', '$(cat /etc/openvswitch/system-id.conf)'),
  };
}

function parts(text: string): readonly string[] {
  return text.split(',').filter((part) => part !== '');
}

function encapType(word: string): EncapType {
  if (word === 'geneve' || word === 'vxlan') return word;
  throw new AgentError(
    'bad-usage',
    `external_ids:ovn-encap-type is ${word}, which neither Linux nor OVN has any more`,
    { hint: 'use geneve: ovs-vsctl set Open_vSwitch . external_ids:ovn-encap-type=geneve' },
  );
}
