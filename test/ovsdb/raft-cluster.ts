import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';

export interface Cluster {
  /** Unix sockets of the servers, in the form of a client's remotes. */
  readonly remotes: readonly string[];
  readonly clusterId: string;
  /** Ends the server at this remote, and waits for its exit. */
  kill(remote: string): Promise<void>;
  start(remote: string): void;
}

/** Starts a raft cluster of three ovsdb-servers that communicate over unix sockets; it ends with the test. */
export async function startCluster(t: Test, schema: string, database: string): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'ovsdb-raft-'));
  const names = ['s1', 's2', 's3'];
  const running = new Map<string, ChildProcess>();
  const at = (name: string): string => join(folder, name);
  const nameOf = (remote: string): string => names.find((name) => remote.endsWith(`/${name}.sock`)) ?? remote;
  const tool = (...words: string[]): string => execFileSync('ovsdb-tool', words, { encoding: 'utf8' }).trim();
  const start = (name: string): void => {
    const options = [`--remote=punix:${at(name)}.sock`, `--unixctl=${at(name)}.ctl`, '--no-chdir', '-vconsole:emer'];
    running.set(name, spawn('ovsdb-server', [...options, `${at(name)}.db`], { stdio: 'ignore' }));
  };
  const kill = async (name: string): Promise<void> => {
    const child = running.get(name);
    running.delete(name);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  };
  t.teardown(async () => {
    for (const name of names) await kill(name);
    rmSync(folder, { recursive: true });
  });
  const raft = (name: string): string => `unix:${at(name)}.raft`;
  tool('create-cluster', `${at('s1')}.db`, schema, raft('s1'));
  for (const name of names.slice(1)) tool('join-cluster', `${at(name)}.db`, database, raft(name), raft('s1'));
  for (const name of names) start(name);
  for (const name of names) {
    const options = ['--timeout=120', 'wait', `unix:${at(name)}.sock`, database, 'connected'];
    await new Promise<void>((resolve, reject) => {
      const wait = spawn('ovsdb-client', options, { stdio: 'ignore' });
      wait.once('error', reject);
      wait.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${name} did not join: ${code}`))));
    });
  }
  return {
    remotes: names.map((name) => `unix:${at(name)}.sock`),
    clusterId: tool('db-cid', `${at('s1')}.db`),
    kill: (remote) => kill(nameOf(remote)),
    start: (remote) => start(nameOf(remote)),
  };
}
