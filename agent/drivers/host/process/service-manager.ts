import { run } from './exec.ts';

/**
 * Time limit of a notification. systemd accepts a notification within milliseconds; a systemd that hangs must not delay
 * the start.
 */
const limitMs = 5_000;

/**
 * Notifies systemd of the service's state (sd_notify(3)): readiness once, and a line for `systemctl status`. The socket
 * accepts datagrams, which Node.js cannot send to a path; systemd-notify(1) can, which is why the unit has
 * `NotifyAccess=all`. Does nothing if systemd has not started the process. A lost notification is ignored.
 */
export async function notifyServiceManager(message: { readonly ready?: true; readonly status: string }): Promise<void> {
  if (process.env.NOTIFY_SOCKET === undefined) return;
  // Line breaks are removed, because the status has to be one line and an error message may have several.
  const status = `--status=${message.status.replaceAll(/\s+/g, ' ')}`;
  await run('systemd-notify', [...(message.ready === true ? ['--ready'] : []), status], limitMs).catch(() => undefined);
}
