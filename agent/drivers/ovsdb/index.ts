/** Public interface of this directory; README.md shows its use. */

export type { JsonObject } from './json.ts';
export { type Mirror, openMirror } from './mirror.ts';
export {
  assertLock,
  deleteRows,
  insert,
  type Mutation,
  mutate,
  type Operation,
  select,
  update,
  wait,
} from './operations.ts';
export { type ConnectOptions, connect } from './ovsdb-client.ts';
export type { NoticeListener, OvsdbClient } from './ovsdb-connection.ts';
export { OvsdbError, type OvsdbErrorKind } from './ovsdb-errors.ts';
export { type Lock, openLock } from './ovsdb-lock.ts';
export { openSession, type Session, type SessionOptions, type SessionState } from './ovsdb-session.ts';
export { parseRemotes, type Remote, type Remotes, remoteText } from './remotes.ts';
export type { MirrorRow, MirrorTable, RowChange, TableRequest } from './tables.ts';
export type { Credentials } from './tls.ts';
export {
  mapOf,
  namedUuid,
  readInteger,
  readString,
  readStringMap,
  readStrings,
  readUuids,
  setOf,
  uuid,
} from './values.ts';
