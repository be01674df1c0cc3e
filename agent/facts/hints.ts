import type { HintedNic, HintFiles } from '../model/observation.ts';

/** Files by which an admin, another program or the boot before names a NIC. */
export const hintFiles = {
  interfaceHint: { path: '/var/lib/ovnk/iface_default_hint', is: 'interface' },
  extraBridge: { path: '/etc/ovnk/extra_bridge', is: 'interface' },
  defaultBridge: { path: '/etc/ovnk/default_bridge', is: 'interface' },
  nodeIp: { path: '/run/nodeip-configuration/primary-ip', is: 'address' },
} as const;

/** Where a run that has moved a NIC notes its permanent MAC, beside the hint with its name. */
export const hintedNicPath = '/var/lib/microshift-net/uplink.json';

/** What the hint files say: their first line, without white space and quotes around it. `fileText` gives null where there is no file. */
export function readHints(fileText: (path: string) => string | null): HintFiles {
  const hint = (name: keyof typeof hintFiles): string | null => {
    const line = fileText(hintFiles[name].path)?.split('\n')[0]?.trim() ?? '';
    const text = (/^(["'])(.*)\1$/.exec(line)?.[2] ?? line).trim();
    return text === '' ? null : text;
  };
  return {
    interfaceHint: hint('interfaceHint'),
    hintedNic: parseHintedNic(fileText(hintedNicPath)),
    extraBridge: hint('extraBridge'),
    defaultBridge: hint('defaultBridge'),
    nodeIp: hint('nodeIp'),
  };
}

/** A note that is damaged counts as none: the name in the hint is still there. */
function parseHintedNic(text: string | null): HintedNic | null {
  try {
    const { interface: name, permanentMac } = JSON.parse(text ?? '{}') as Record<string, unknown>;
    return typeof name === 'string' && typeof permanentMac === 'string' ? { interface: name, permanentMac } : null;
  } catch {
    return null;
  }
}
