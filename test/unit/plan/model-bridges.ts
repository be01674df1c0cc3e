// Rows of Open vSwitch in the simulated node.
import type { BridgeRow } from '../../../agent/model/left-bridge.ts';
import type { OvsBridge, OvsPort } from '../../../agent/model/observation.ts';
import type { ProfileSettings } from '../../../agent/model/profile-settings.ts';

/** Key of NetworkManager's mark in `external_ids` of its rows. */
const owner = 'NM.connection.uuid';

/** Bridges of the simulated node, which change as ovs-vsctl(8) and NetworkManager would change them. */
export class ModelBridges {
  #rows: OvsBridge[];

  constructor(rows: readonly OvsBridge[]) {
    this.#rows = [...rows];
  }

  rows(): readonly OvsBridge[] {
    return [...this.#rows];
  }

  has(name: string): boolean {
    return this.#rows.some((row) => row.name === name);
  }

  /** Adds a bridge, in place of another one of the same name. */
  put(row: OvsBridge): void {
    this.#rows = [...this.#rows.filter(({ name }) => name !== row.name), row];
  }

  remove(name: string): void {
    this.#rows = this.#rows.filter((row) => row.name !== name);
  }

  /** Adds the row that NetworkManager makes for an ovs-bridge profile. */
  addOfProfile(name: string, profile: string, settings: ProfileSettings): void {
    if (!this.has(name)) this.#rows.push(bridgeRow(name, profile, settings));
  }

  /** Adds the internal port and interface of a bridge, with the marks of their profiles. */
  addInternal(name: string, port: string, face: string): void {
    if (this.bridgeWith(name) === undefined) this.addPort(name, name, 'internal', { [owner]: port }, { [owner]: face });
  }

  addPort(
    bridge: string,
    name: string,
    type: 'system' | 'internal',
    portIds: Readonly<Record<string, string>> = {},
    ids: Readonly<Record<string, string>> = {},
  ): void {
    if (!this.has(bridge)) throw new Error(`there is no bridge ${bridge}`);
    const other = this.bridgeWith(name);
    if (other !== undefined) throw new Error(`${name} is in ${other.name} already`);
    const face = { uuid: `interface ${name}`, name, type, ofport: 1, error: null, externalIds: ids };
    const port: OvsPort = { uuid: `port ${name}`, name, externalIds: portIds, interfaces: [face] };
    this.#rows = this.#rows.map((row) => (row.name === bridge ? { ...row, ports: [...row.ports, port] } : row));
  }

  removePort(name: string): void {
    this.#rows = this.#rows.map((row) => ({ ...row, ports: row.ports.filter((port) => port.name !== name) }));
  }

  /** Removes a port of NetworkManager; also removes its bridge if no row of NetworkManager remains in it. */
  removeOwnPort(name: string): void {
    const bridge = this.bridgeWith(name);
    if (bridge === undefined) return;
    this.removePort(name);
    this.#rows = this.#rows.filter(
      (row) => row.name !== bridge.name || row.ports.some((port) => port.externalIds[owner] !== undefined),
    );
  }

  /**
   * Sets NetworkManager's marks in the rows of a bridge, and of the port and interface with its name; removes them if
   * undefined.
   */
  mark(name: string, bridge: string | undefined, port: string | undefined, face: string | undefined): void {
    const marked = <T extends { readonly externalIds: Readonly<Record<string, string>> }>(row: T, uuid?: string): T => {
      const { [owner]: _, ...others } = row.externalIds;
      return { ...row, externalIds: uuid === undefined ? others : { ...others, [owner]: uuid } };
    };
    this.#rows = this.#rows.map((row) => {
      if (row.name !== name) return row;
      const ports = row.ports.map((entry) =>
        entry.name === name
          ? marked({ ...entry, interfaces: entry.interfaces.map((one) => marked(one, face)) }, port)
          : entry,
      );
      return marked({ ...row, ports }, bridge);
    });
  }

  /** Adds keys to `external_ids` and `other_config` of a bridge. */
  rekey(name: string, { externalIds, otherConfig }: BridgeRow): void {
    this.#rows = this.#rows.map((row) =>
      row.name === name
        ? {
            ...row,
            externalIds: { ...row.externalIds, ...externalIds },
            otherConfig: { ...row.otherConfig, ...otherConfig },
          }
        : row,
    );
  }

  bridgeWith(port: string): OvsBridge | undefined {
    return this.#rows.find((bridge) => bridge.ports.some((entry) => entry.name === port));
  }
}

export function bridgeRow(name: string, profile: string, settings: ProfileSettings): OvsBridge {
  const data = settings['ovs-external-ids']?.data?.[1] as Record<string, string> | undefined;
  return {
    uuid: name,
    name,
    datapathType: '',
    failMode: 'standalone',
    externalIds: { ...data, [owner]: profile },
    otherConfig: {},
    ports: [],
  };
}
