/** Public interface of this directory; README.md shows its use. */
export { type ConnectOptions, connect } from './client.ts';
export type { NoticeListener, OvsdbClient } from './connection.ts';
export { OvsdbError, type OvsdbErrorKind } from './errors.ts';
export type { JsonObject } from './json.ts';
export { type Lock, openLock } from './lock.ts';
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
export { parseRemotes, type Remote, type Remotes, remoteText } from './remotes.ts';
export { openSession, type Session, type SessionOptions, type SessionState } from './session.ts';
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
