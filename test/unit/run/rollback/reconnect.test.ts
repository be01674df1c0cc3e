// Time for which a rollback waits for the services that it needs while NetworkManager's own timer runs.
import { mock } from 'node:test';
import t from 'tap';
import { startDeadline } from '../../../../agent/deadline.ts';
import { AgentError } from '../../../../agent/errors.ts';
import { checkpointSeconds } from '../../../../agent/run/checkpoint-timer.ts';
import { reconnectOrRestored } from '../../../../agent/run/rollback/reconnect.ts';

t.test(
  "the rollback waits for an Open vSwitch that cannot be reached for longer than NetworkManager's timer",
  async (t) => {
    const deadline = startDeadline(60_000);
    t.teardown(() => deadline.clear());
    mock.timers.enable({ apis: ['setTimeout'] });
    t.teardown(() => mock.timers.reset());
    const completeUnaided = async (): Promise<boolean> => {
      throw new AgentError('ovsdb-unreachable', 'ovsdb-server cannot be reached');
    };
    const backAfterMs = 20_000;
    const reconnect = (): Promise<string> =>
      new Promise((resolve) => {
        setTimeout(() => resolve('connections'), backAfterMs);
      });
    const connections = reconnectOrRestored({ reconnect, completeUnaided, freeAddressed: async () => {} }, deadline);
    mock.timers.tick(checkpointSeconds * 1000 + 2_000);
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    mock.timers.tick(backAfterMs);
    t.equal(await connections, 'connections');
  },
);
