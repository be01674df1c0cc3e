// MicroShift's script in its real size, by which the agent recognizes a node with MicroShift.
import { join } from 'node:path';
import t from 'tap';
import { readSmallFile } from '../../../agent/drivers/host/files/files.ts';
import { microshiftScriptFact } from '../../../agent/facts/make-observation.ts';
import { microshiftFileTable, microshiftStandInFile } from '../../node/microshift-file-table.ts';

const path = '/usr/bin/configure-ovs.sh';
const [mac = ''] = Object.keys(microshiftFileTable.find((file) => file.path === path)?.marks ?? {});

t.test('the script is recognized by a MAC near its end', (t) => {
  const own = microshiftStandInFile(path);
  const folder = t.testdir({ own, other: own.replace(mac, '02:00:00:00:00:01') });
  const factOf = (name: string) => microshiftScriptFact(() => readSmallFile(join(folder, name)));
  t.strictSame(factOf('own'), { hasMicroShiftScript: true });
  t.strictSame(factOf('other'), {}, 'a script without the MAC is not recognized');
  t.strictSame(factOf('absent'), {});
  t.end();
});
