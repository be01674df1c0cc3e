/** The public face of this folder; README.md shows it in use. */
export { connect, type OvsdbClient } from './client.ts';
export { OvsdbError, type OvsdbErrorKind } from './errors.ts';
export type { JsonObject } from './json.ts';
export { deleteRows, insert, type Mutation, mutate, type Operation, select, wait } from './operations.ts';
export { mapOf, namedUuid, readInteger, readString, readStringMap, readUuids, setOf, uuid } from './values.ts';
