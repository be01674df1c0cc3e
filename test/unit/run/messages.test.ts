import t from 'tap';
import { AgentError, withFacts } from '../../../agent/errors.ts';
import { failureMessage } from '../../../agent/run/messages.ts';

t.test('the entry of a failure names the state of the node', (t) => {
  const failure = new AgentError('activation-failed', 'no lease', { hint: 'look', facts: { profile: 'eth0' } });
  t.match(failureMessage(failure, 'text'), { kind: 'run-failed', transaction: null, error: 'activation-failed' });
  const undone = withFacts(failure, { transaction: 'TX', ended: 'rolled-back' });
  t.match(failureMessage(undone, 'text'), { kind: 'rolled-back', transaction: 'TX', error: 'activation-failed' });
  t.match(undone, { message: 'no lease', hint: 'look', facts: { profile: 'eth0', ended: 'rolled-back' } });
  const lost = withFacts(new AgentError('not-restored', 'gone'), { transaction: 'TX', ended: 'not-restored' });
  t.match(failureMessage(lost, 'text'), { kind: 'not-restored', transaction: 'TX' });
  for (const kind of ['config-syntax', 'config-invalid', 'config-unreadable'] as const)
    t.equal(failureMessage(new AgentError(kind, 'wrong'), 'text').kind, 'configuration-refused');
  t.end();
});
