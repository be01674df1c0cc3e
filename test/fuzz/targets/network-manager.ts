// Answers of NetworkManager that are valid on the bus and have an unexpected form. The target observes them, plans with
// them and prints them.
import { Variant } from 'dbus-next/lib/variant.js';
import { defaultConfig } from '../../../agent/config/defaults.ts';
import type { Bus, MethodCall } from '../../../agent/drivers/dbus/bus-connection.ts';
import { DBusReplyError } from '../../../agent/drivers/dbus/dbus-errors.ts';
import { openNetworkManager } from '../../../agent/drivers/networkmanager/nm-client.ts';
import { encodeSettings } from '../../../agent/drivers/networkmanager/nm-settings.ts';
import { observeNetworkManager } from '../../../agent/facts/network-manager.ts';
import type { Observation } from '../../../agent/model/observation.ts';
import { planApply, planDisable } from '../../../agent/plan/make-plan.ts';
import { planText } from '../../../agent/view/plan-view.ts';
import { plain } from '../../../agent/view/style.ts';
import { dhcpNode, observations } from '../corpus.ts';
import { expectedFailure } from '../expect.ts';
import { managedObjects } from '../managed-objects.ts';
import type { FuzzTarget } from '../target.ts';

/**
 * Answers of the peer to GetManagedObjects, and to GetSettings by profile. A variant is `{"$": [signature, value]}`.
 */
interface Answers {
  readonly objects: unknown;
  readonly settings: Readonly<Record<string, unknown>>;
}

const asking = new Set(['GetNameOwner', 'GetManagedObjects', 'GetSettings', 'Get', 'AddMatch', 'RemoveMatch']);

export const networkManager: FuzzTarget = {
  corpus: () => observations().map((node) => Buffer.from(JSON.stringify(answersOf(node), marked))),
  words: [
    '"',
    '[',
    ']',
    '{',
    '}',
    ',',
    '{"$":["s","x"]}',
    '{"$":["ay","zz"]}',
    '"ipv4":',
    '"connection":',
    'null',
    '\\u001b',
  ],
  form: 'json',
  open: () => {
    const node = dhcpNode();
    return {
      feed: async (input) => {
        const answers = readAnswers(input);
        if (answers === null) return 'no answer';
        try {
          const nm = await openNetworkManager(busOf(answers));
          const observation = { ...node, networkManager: await observeNetworkManager(nm) };
          return `${planned(observation)}, ${disabled(observation)}`;
        } catch (error) {
          return expectedFailure(error);
        }
      },
      close: () => undefined,
    };
  },
};

function planned(observation: Observation): string {
  const decision = planApply(defaultConfig, observation, true);
  if (decision.kind !== 'planned') throw new Error('it waits although waiting is over');
  const { plan } = decision;
  planText(plan, observation, plain, true);
  if (JSON.stringify(JSON.parse(JSON.stringify(plan))) !== JSON.stringify(plan))
    throw new Error('the plan cannot be written as JSON');
  return plan.outcome;
}

function disabled(observation: Observation): string {
  const plan = planDisable(observation);
  planText(plan, observation, plain, true);
  return plan.outcome;
}

function answersOf(node: Observation): Answers {
  const { profiles } = node.networkManager;
  const settings = profiles.map((profile) => [profile.path, encodeSettings(profile.settings)]);
  return { objects: managedObjects(node), settings: Object.fromEntries(settings) };
}

function marked(_key: string, value: unknown): unknown {
  // JSON has no buffers and no 64-bit integers; the peer sends another wrong type instead.
  if (value instanceof Variant) return { $: [value.signature, value.value] };
  return typeof value === 'bigint' ? value.toString() : value;
}

function readAnswers(input: Buffer): Answers | null {
  try {
    const value = wired(JSON.parse(input.toString())) as Answers | null;
    return typeof value === 'object' && value !== null ? value : null;
  } catch {
    return null;
  }
}

function wired(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(wired);
  const fields = value as Record<string, unknown>;
  if (Array.isArray(fields.$)) return new Variant(String(fields.$[0]), wired(fields.$[1]));
  return Object.fromEntries(Object.entries(fields).map(([key, item]) => [key, wired(item)]));
}

function busOf(answers: Answers): Bus {
  return {
    call: (call) => answer(answers, call),
    subscribe: () => () => undefined,
    onLost: () => () => undefined,
    callCount: () => 0,
    close: () => undefined,
  };
}

async function answer({ objects, settings }: Answers, { member, path }: MethodCall): Promise<unknown[]> {
  if (!asking.has(member)) throw new Error(`it called ${member}, which changes something`);
  if (member === 'GetNameOwner') return [':1.1'];
  if (member === 'GetManagedObjects') return [objects];
  if (member === 'GetSettings' && settings !== null && typeof settings === 'object' && path in settings)
    return [settings[path]];
  throw new DBusReplyError('org.freedesktop.DBus.Error.UnknownObject', `no object at ${path}`);
}
