import { AgentError } from '../../../errors.ts';
import {
  isInterfaceName,
  isPortName,
  mostHosts,
  type PortOptions,
  type PortRequest,
} from '../../../model/overlay-port.ts';
import { canonicalAddress, familyOf } from '../../../net/address.ts';

/**
 * Converts the options of `overlay port add` to a request. If the options name no node, the port is on `ownNode`. Fails
 * with `bad-usage` for an invalid value.
 */
export function portRequestOf(name: string, options: PortOptions, ownNode: string): PortRequest {
  const { interface: device, node = ownNode, vlan = null, namespace = 'default' } = options;
  if (!isPortName(name))
    throw refused(`"${name}" cannot be the name of a port`, 'write small letters, digits and hyphens, as vm-1');
  if (!isInterfaceName(device))
    throw refused(`--interface "${device}" is not the name of an interface`, 'write it as `ip link` shows it');
  if (!isPortName(namespace))
    throw refused(`--namespace "${namespace}" is not the name of a namespace`, 'write it as kubectl shows it');
  const macs = wordsOf(options.mac).map((word) => word.toLowerCase());
  const wrongMac = macs.find((word) => !/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/.test(word));
  if (wrongMac !== undefined) throw refused(`--mac "${wrongMac}" is not usable`, 'write it as 52:54:00:12:34:56');
  if (macs.length > mostHosts)
    throw refused(`${name} has ${macs.length} hosts, and more than ${mostHosts} are not served`, 'add several ports');
  const addresses = wordsOf(options.address);
  const wrong = addresses.find((word) => familyOf(word) === null);
  if (wrong !== undefined) throw refused(`--address "${wrong}" is not usable`, 'write it as 10.42.0.200');
  return {
    name,
    node,
    interface: device,
    vlan,
    namespace,
    labels: Object.fromEntries(wordsOf(options.label).map(labelOf)),
    macs,
    addresses: addresses.map(canonicalAddress),
  };
}

function wordsOf(words: readonly string[] = []): readonly string[] {
  return words.flatMap((word) => word.split(',')).map((word) => word.trim());
}

/** Pattern of a label `key=value` in the syntax of Kubernetes ("Labels and Selectors", Syntax and character set). */
const label =
  /^((?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?)=((?:[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?)?)$/;

function labelOf(word: string): readonly [string, string] {
  const [, key, value = ''] = label.exec(word) ?? [];
  if (key === undefined) throw refused(`--label "${word}" is not usable`, 'write it as app=db');
  return [key, value];
}

function refused(message: string, hint: string): AgentError {
  return new AgentError('bad-usage', message, { hint });
}
