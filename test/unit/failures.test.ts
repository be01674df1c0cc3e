// Several failures of one run as one error: all of them in order, with the exit code of the worst.
import t from 'tap';
import { AgentError, withFacts } from '../../agent/errors.ts';
import { endingWith, failedThen, failuresOf, followedBy, wholeMessage } from '../../agent/failures.ts';

const proof = new AgentError('proof-failed', 'the gateway is silent', { hint: 'check the switch' });
const left = new AgentError('not-restored', 'eth0 has no address', { hint: 'look at it' });
const disk = new AgentError('state-unwritable', 'the disk is full');
const messages = (error: unknown): readonly string[] =>
  failuresOf(error as AgentError).map((failure) => failure.message);

t.test('the first failure decides, unless the old state is not restored', async (t) => {
  t.match(followedBy(proof, disk), { kind: 'proof-failed', hint: 'check the switch', message: proof.message });
  t.match(followedBy(proof, left), { kind: 'not-restored', hint: 'look at it', message: left.message });
  t.match(followedBy(left, disk), { kind: 'not-restored' });
});

t.test('the error has all failures in order, regardless of how they were combined', async (t) => {
  const order = [proof.message, left.message, disk.message];
  t.strictSame(messages(followedBy(followedBy(proof, left), disk)), order);
  t.strictSame(messages(followedBy(proof, followedBy(left, disk))), order);
  t.strictSame(messages(withFacts(followedBy(followedBy(proof, left), disk), { more: 1 })), order);
  t.equal(wholeMessage(followedBy(proof, left)), 'the gateway is silent; then eth0 has no address');
  t.strictSame(messages(followedBy(proof, proof)), [proof.message], 'an error that is given twice is listed once');
  t.match(failuresOf(followedBy(proof, new TypeError('x is undefined'))).at(-1), { kind: 'internal' });
});

t.test('cleanup code runs in every case, and its failure hides no other failure', async (t) => {
  const refuse = (error: Error) => () => Promise.reject(error);
  const ended: string[] = [];
  const end = (): void => {
    ended.push('end');
  };
  t.equal(await endingWith(async () => 5, end), 5);
  await t.rejects(endingWith(refuse(proof), end), proof);
  t.strictSame(ended, ['end', 'end']);
  await t.rejects(
    endingWith(async () => 5, refuse(disk)),
    disk,
  );
  const both = await endingWith(refuse(proof), refuse(disk)).catch((error: unknown) => error);
  t.strictSame(messages(both), [proof.message, disk.message]);
  t.equal(await failedThen(proof, end), proof);
});
