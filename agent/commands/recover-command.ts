import type { Reporter } from '../run/options.ts';
import { recoverAtBoot, recoverNow } from '../run/recover-alone.ts';
import type { Output } from './output.ts';
import { requireRoot } from './root.ts';

/**
 * `recover`: rolls back the transaction of a run that crashed. `recover --boot` is for the time at boot before
 * NetworkManager and ovs-vswitchd start.
 */
export async function recover(boot: boolean, output: Output): Promise<void> {
  requireRoot('recover');
  const said: string[] = [];
  const reporter: Reporter = {
    say: (message) => {
      said.push(message);
      output.say(message);
    },
    announce: (message) => {
      said.push(message.text);
      output.announce(message);
    },
  };
  await (boot ? recoverAtBoot(reporter) : recoverNow(reporter, output.say));
  const outcome = said.length === 0 ? 'unchanged' : 'changed';
  const text = outcome === 'unchanged' ? 'Nothing to recover.' : 'Recovered.';
  output.result(text, { command: 'recover', outcome, done: said });
}
