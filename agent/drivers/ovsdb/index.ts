/** The public face of this folder; README.md shows it in use. */
export {
  type CallOptions,
  type ConnectOptions,
  connect,
  type Monitor,
  type MonitorOptions,
  type MonitorRequest,
  type OvsdbClient,
} from './client.ts';
export { readBoolean, readNumber, readOptional, readSet, readString, readStringMap, readUuids } from './columns.ts';
export { OvsdbError, type OvsdbErrorDetails, type OvsdbErrorKind } from './errors.ts';
export type { Json, JsonObject } from './json.ts';
export type { NotYet, RowChange, TableView, UpdateListener, WaitOptions } from './mirror.ts';
export {
  abort,
  assertLock,
  type Condition,
  comment,
  commit,
  deleteRows,
  insert,
  type Mutation,
  mutate,
  type Operation,
  select,
  update,
  type Where,
  wait,
} from './operations.ts';
export type { ResultOf, Results } from './results.ts';
export { type Atom, mapOf, type NamedUuid, optional, type Row, type Uuid, type Value } from './values.ts';
