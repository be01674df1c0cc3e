import { rangesFault, rangeTexts } from '../../../config/overlay-ranges.ts';
import { AgentError } from '../../../errors.ts';
import type { GatewayRequest, GatewayWords, NodeRequest, NodeWords } from '../../../model/ovn-k8s.ts';
import { familyOf } from '../../../net/address.ts';
import { contains, parseRange } from '../../../net/address-range.ts';
import { isNodeName } from '../record/name-forms.ts';

/**
 * Reads the options of `master-init` and `minion-init`. `option` is the name of the option that has the node's subnet.
 * Fails with `bad-usage` for an invalid value.
 */
export function nodeRequest(words: NodeWords, option: string, subnet: string, isMaster: boolean): NodeRequest {
  const clusterSubnets = ranges('--cluster-ip-subnet', words.clusterIpSubnet);
  const subnets = ranges(option, subnet);
  for (const one of subnets) mustBeInside(option, one, clusterSubnets);
  return {
    name: nameOf(words),
    clusterSubnets,
    serviceSubnets: servicesOf(words, clusterSubnets),
    subnets,
    gateway: null,
    isMaster,
  };
}

/** Reads the options of `gateway-init`. Fails with `bad-usage` for an invalid value. */
export function gatewayRequest(words: GatewayWords): NodeRequest & { readonly gateway: GatewayRequest } {
  const { physicalInterface = '', bridgeInterface = '' } = words;
  if ((physicalInterface === '') === (bridgeInterface === '')) {
    throw refused('one of --physical-interface and --bridge-interface has to be given, and not both', {
      hint: '--bridge-interface for a bridge that has the NIC and its address; --physical-interface for a NIC of its own',
    });
  }
  const clusterSubnets = ranges('--cluster-ip-subnet', words.clusterIpSubnet);
  const rampout = [words.rampoutIpSubnets ?? '', words.rampoutIpSubnet ?? ''].filter((text) => text !== '');
  const subnets = rampout.flatMap(rangeTexts);
  for (const one of subnets) {
    if (parseRange(one)?.canonical !== true)
      throw refused(`--rampout-ip-subnets: "${one}" is not a subnet`, { hint: 'write subnets like 192.168.2.0/24' });
    mustBeInside('--rampout-ip-subnets', one, clusterSubnets);
  }
  const addresses = rangeTexts(words.physicalIp).map(withPrefix);
  if (addresses.length === 0) throw empty('--physical-ip');
  return {
    name: nameOf(words),
    clusterSubnets,
    serviceSubnets: null,
    subnets: null,
    isMaster: false,
    gateway: {
      device:
        bridgeInterface === '' ? { kind: 'nic', name: physicalInterface } : { kind: 'bridge', name: bridgeInterface },
      addresses,
      nextHops: rangeTexts(words.defaultGw ?? '').map(nextHop),
      subnets: [...new Set(subnets)],
    },
  };
}

/**
 * Returns the node name in lower case, which is how the kubelet writes it. Fails with `bad-usage` for an invalid name.
 */
function nameOf({ nodeName }: NodeWords): string {
  const name = nodeName.toLowerCase();
  if (isNodeName(name)) return name;
  throw refused(`--node-name: "${nodeName}" cannot be the name of a node`, {
    hint: 'write the name of the kubelet: letters, digits, hyphens and dots',
  });
}

function ranges(option: string, text: string): readonly string[] {
  if (text === '') throw empty(option);
  const fault = rangesFault(text);
  if (fault === null) return rangeTexts(text);
  throw refused(`${option}: ${fault}`, { hint: 'write a subnet like 192.168.0.0/16' });
}

/**
 * Reads the range of service addresses; null if the option is absent. Fails with `bad-usage` if the range overlaps that
 * of the pods, because packets to pods would then be rejected.
 */
function servicesOf(
  { serviceClusterIpRange: text }: NodeWords,
  clusterSubnets: readonly string[],
): readonly string[] | null {
  if (text === undefined) return null;
  const option = '--service-cluster-ip-range';
  const services = ranges(option, text);
  const [ofServices, ofPods] = [services, clusterSubnets].map((list) => list.flatMap((one) => parseRange(one) ?? []));
  if (ofServices?.some((one) => ofPods?.some((other) => contains(one, other) || contains(other, one))) === true)
    throw refused(`${option}: ${text} overlaps --cluster-ip-subnet ${clusterSubnets.join(',')}`, {
      hint: 'write the range that kube-apiserver has as its option of the same name',
    });
  return services;
}

function mustBeInside(option: string, subnet: string, clusterSubnets: readonly string[]): void {
  const inner = parseRange(subnet);
  const outer = clusterSubnets.flatMap((one) => parseRange(one) ?? []);
  if (inner !== null && outer.some((one) => contains(one, inner))) return;
  throw refused(`${option}: ${subnet} is not in --cluster-ip-subnet ${clusterSubnets.join(',')}`, {
    hint: "choose a part of the cluster's subnet",
  });
}

/**
 * Returns an address with its prefix length, for example `10.0.0.2/24`. `text` may have an IPv4 mask instead of the
 * length (`10.0.0.2/255.255.255.0`). An address without either is returned unchanged. Fails with `bad-usage` for any
 * other text.
 */
function withPrefix(text: string): string {
  const [address = '', length] = text.split('/');
  const prefix = length?.includes('.') === true ? maskLength(length) : length;
  const written = prefix === undefined ? address : `${address}/${prefix}`;
  if (prefix === undefined ? familyOf(address) !== null : parseRange(written) !== null) return written;
  throw refused(`--physical-ip: "${text}" is not an address`, {
    hint: 'write it with its prefix, like 10.33.74.138/24',
  });
}

/** Returns the prefix length of an IPv4 mask (24 for 255.255.255.0); other text unchanged. */
function maskLength(mask: string): string {
  const bits = familyOf(mask) === 4 ? mask.split('.').map((part) => Number(part).toString(2).padStart(8, '0')) : [];
  const [, ones] = /^(1*)0*$/.exec(bits.join('')) ?? [];
  return bits.length === 0 || ones === undefined ? mask : `${ones.length}`;
}

function nextHop(text: string): string {
  const address = text.split('/')[0] ?? '';
  if (familyOf(address) !== null) return address;
  throw refused(`--default-gw: "${text}" is not an address`, { hint: 'write an address like 10.33.74.253' });
}

function empty(option: string): AgentError {
  return refused(`${option} is empty`, { hint: 'a variable of the shell may not be set' });
}

function refused(message: string, details: { readonly hint: string }): AgentError {
  return new AgentError('bad-usage', message, details);
}
