import { run } from './exec.ts';

/** systemd takes a message within milliseconds; a start that goes on for longer than this is not held up by telling of it. */
const limitMs = 5_000;

/**
 * Tells systemd how this service is (sd_notify(3)): once that it is ready, and a line for `systemctl status`. The socket takes datagrams, which Node
 * cannot send to a path; systemd-notify(1) can, which is why the unit has `NotifyAccess=all`. Nothing happens where systemd has not started us, and a
 * message that is lost is no failure.
 */
export async function tellServiceManager(message: { readonly ready?: true; readonly status: string }): Promise<void> {
  if (process.env.NOTIFY_SOCKET === undefined) return;
  // One line, whatever an error says.
  const status = `--status=${message.status.replaceAll(/\s+/g, ' ')}`;
  await run('systemd-notify', [...(message.ready === true ? ['--ready'] : []), status], limitMs).catch(() => undefined);
}
