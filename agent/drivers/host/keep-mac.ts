import { setMac } from './address-hold.ts';
import { follow } from './exec.ts';

/**
 * Gives an interface its MAC back whenever the kernel announces another one, until the returned end is called. A DHCP client that starts
 * some hundredths of a second after such a change must find the right one, and NetworkManager tells of the change when it has time.
 */
export async function keepMac(interfaceName: string, mac: string): Promise<() => void> {
  let last: Promise<unknown> = Promise.resolve();
  const restore = (): void => {
    // An interface that is gone for a moment cannot be given anything; its return is announced, too.
    last = last.then(() => setMac(interfaceName, mac)).catch(() => undefined);
  };
  return follow('ip', ['-o', 'monitor', 'link'], restore, () => undefined);
}
