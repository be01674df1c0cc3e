import type { OvsBridge, OvsFacts, OvsInterface, OvsPort } from '../../model/observation.ts';
import {
  type JsonObject,
  type OvsdbClient,
  readInteger,
  readString,
  readStringMap,
  readUuids,
  select,
} from '../ovsdb/index.ts';

/** Reads the bridges, ports and interfaces of Open vSwitch in one round trip (ovs-vswitchd.conf.db(5)). */
export async function readOvsFacts(client: OvsdbClient): Promise<OvsFacts> {
  const [root, bridges, ports, interfaces] = await client.transact('Open_vSwitch', [
    select('Open_vSwitch', [], ['ovs_version', 'external_ids', 'other_config', 'next_cfg', 'cur_cfg']),
    select('Bridge', [], ['_uuid', 'name', 'datapath_type', 'fail_mode', 'external_ids', 'other_config', 'ports']),
    select('Port', [], ['_uuid', 'name', 'external_ids', 'interfaces']),
    select('Interface', [], ['_uuid', 'name', 'type', 'ofport', 'error', 'external_ids']),
  ]);
  const [top] = root;
  const interfaceOf = byUuid(interfaces.map(interfaceRow));
  const portOf = byUuid(ports.map((row) => portRow(row, interfaceOf)));
  return {
    version: readString(top?.ovs_version) ?? null,
    bridges: bridges.map((row) => bridgeRow(row, portOf)),
    externalIds: readStringMap(top?.external_ids),
    otherConfig: readStringMap(top?.other_config),
    nextCfg: readInteger(top?.next_cfg) ?? 0,
    curCfg: readInteger(top?.cur_cfg) ?? 0,
  };
}

function bridgeRow(row: JsonObject, portOf: ReadonlyMap<string, OvsPort>): OvsBridge {
  return {
    uuid: uuidOf(row),
    name: readString(row.name) ?? '',
    datapathType: readString(row.datapath_type) ?? '',
    failMode: readString(row.fail_mode) ?? null,
    externalIds: readStringMap(row.external_ids),
    otherConfig: readStringMap(row.other_config),
    ports: readUuids(row.ports).flatMap((uuid) => portOf.get(uuid) ?? []),
  };
}

function portRow(row: JsonObject, interfaceOf: ReadonlyMap<string, OvsInterface>): OvsPort {
  return {
    uuid: uuidOf(row),
    name: readString(row.name) ?? '',
    externalIds: readStringMap(row.external_ids),
    interfaces: readUuids(row.interfaces).flatMap((uuid) => interfaceOf.get(uuid) ?? []),
  };
}

function interfaceRow(row: JsonObject): OvsInterface {
  return {
    uuid: uuidOf(row),
    name: readString(row.name) ?? '',
    type: readString(row.type) ?? '',
    ofport: readInteger(row.ofport) ?? null,
    error: readString(row.error) ?? null,
    externalIds: readStringMap(row.external_ids),
  };
}

function uuidOf(row: JsonObject): string {
  return readUuids(row._uuid)[0] ?? '';
}

function byUuid<T extends { readonly uuid: string }>(rows: readonly T[]): ReadonlyMap<string, T> {
  return new Map(rows.map((row) => [row.uuid, row]));
}
