import type { OvsdbExchange } from '../../model/settled.ts';
import { answersAsRecorded, recordConnection } from '../ovsdb/recording.ts';
import { databaseSocket } from './socket.ts';

/** A tap for openOpenVSwitch, and what it has seen so far. */
export const recordOvsdb = recordConnection;

/** True when ovsdb-server answers the recorded requests with the recorded bytes; false when it does not within limitMs. */
export function ovsdbAnswersAsRecorded(recorded: OvsdbExchange, limitMs: number): Promise<boolean> {
  return answersAsRecorded(databaseSocket(), recorded, limitMs);
}
