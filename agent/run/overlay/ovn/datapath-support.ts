import { missingDatapathFeatures, optionsFor } from '../../../drivers/openvswitch/datapath-features.ts';
import { openSwitchDatabase } from '../../../drivers/ovn/database.ts';
import { AgentError } from '../../../errors.ts';
import type { Config } from '../../../model/config.ts';
import { textOf } from '../../../overlay/rows/row-index.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { readColumns } from './database-rows.ts';

/**
 * Fails with `kernel-datapath-missing` if the data path of br-int lacks connection tracking that OVN needs. Without
 * connection tracking, ovn-controller would never connect the node. br-int may not exist yet, so the first bridge with
 * the same type of data path is examined. Without such a bridge nothing is known, and the function succeeds.
 */
export async function refuseWithoutConntrack({ ovs }: Config, places: OverlayPlaces): Promise<void> {
  const wanted = places.datapathType ?? ovs.datapathType.value;
  const database = await openSwitchDatabase(places.ovsRun);
  const rows = await readColumns(database, { Bridge: ['name', 'datapath_type'] }).finally(() => database.close());
  const bridge = (rows.tables.Bridge ?? []).find((row) => (textOf(row, 'datapath_type') || 'system') === wanted);
  if (bridge === undefined) return;
  const missing = await missingDatapathFeatures(textOf(bridge, 'name'), places.ovsRun);
  if (missing.length === 0) return;
  const what = wanted === 'netdev' ? 'the userspace data path of this Open vSwitch' : "this kernel's data path";
  throw new AgentError(
    'kernel-datapath-missing',
    `${what} lacks ${missing.join(', ')}, without which OVN cannot work`,
    {
      hint:
        wanted === 'netdev'
          ? 'update Open vSwitch'
          : `use a kernel with ${optionsFor(missing).join(', ')}, or write in ovn.yaml: ovs: {datapathType: netdev}`,
      facts: { missing },
    },
  );
}
