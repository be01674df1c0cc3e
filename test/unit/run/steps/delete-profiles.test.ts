// A step that deletes profiles waits until their activations have ended; then it removes the rows of their bridges and
// then NetworkManager's devices.
import t from 'tap';
import { deviceState, deviceType } from '../../../../agent/drivers/networkmanager/nm-names.ts';
import { AgentError } from '../../../../agent/errors.ts';
import { deleteProfiles } from '../../../../agent/run/steps/delete-profiles.ts';
import type { StepContext } from '../../../../agent/run/steps/step-context.ts';

/** Device of NetworkManager with its states at successive reads; it does not exist after the last one. */
interface Device {
  name: string;
  type: number;
  states: number[];
  /** Reason for which NetworkManager refuses to delete the device. */
  refusal?: string;
}

/** Returns the calls of the step with two profiles and these bridges; each profile is active until its second read. */
async function callsFor(bridges: readonly string[], devices: Device[] = []): Promise<readonly string[]> {
  const calls: string[] = [];
  let looks = 0;
  const at = (path: string): Device | undefined => devices[Number(path.slice('/Devices/'.length))];
  const played = {
    nm: {
      profilePathOf: async (uuid: string) => `/${uuid}`,
      deleteProfile: async (path: string) => void calls.push(`delete ${path}`),
      deleteDevice: async (path: string) => {
        calls.push(`delete ${path}`);
        const device = at(path);
        if (device?.refusal !== undefined) throw new AgentError('networkmanager-refused', device.refusal, { hint: '' });
        device?.states.splice(0);
      },
      managedObjects: async () =>
        Object.fromEntries(
          devices.flatMap(({ name, type, states }, index) =>
            states.length === 0
              ? []
              : [
                  [
                    `/Devices/${index}`,
                    { 'org.freedesktop.NetworkManager.Device': { Interface: name, DeviceType: type } },
                  ],
                ],
          ),
        ),
      property: async (path: string, _interface: string, name: string) => {
        if (name === 'State') return at(path)?.states.shift();
        return path.startsWith('/active') ? 'one' : looks++ < 2 ? ['/active'] : [];
      },
    },
    ovs: { removeBridges: async (names: readonly string[]) => void calls.push(`remove ${names.join(' ')}`) },
    watch: {
      until: async (what: string, holds: () => Promise<boolean>) => {
        while (!(await holds())) calls.push(`wait for ${what}`);
      },
    },
    deadline: { remainingMs: () => 60_000, signal: new AbortController().signal },
  } as unknown as StepContext;
  const profiles = [
    { id: 'br-ex', uuid: 'one' },
    { id: 'ovs-if-br-ex', uuid: 'two' },
  ];
  await deleteProfiles(played, { profiles, bridges });
  return calls;
}

const ended = [
  'delete /one',
  'delete /two',
  'wait for the end of the old profiles',
  'wait for the end of the old profiles',
];

t.test('rows are removed last, and only those of bridges that the step names', async (t) => {
  t.strictSame(await callsFor(['br-ex']), [...ended, 'remove br-ex']);
  t.strictSame(await callsFor(['br-ex', 'br-ex1']), [...ended, 'remove br-ex br-ex1']);
  t.strictSame(await callsFor([]), ended);
});

const { disconnected, activated } = deviceState;
const { ovsInterface, ovsBridge } = deviceType;
const waited = 'wait for the end of the old devices';

t.test('NetworkManager removes the device itself', async (t) => {
  const device = { name: 'br-ex', type: ovsInterface, states: [activated, activated] };
  t.strictSame(await callsFor([], [device]), [...ended, waited, waited]);
});

t.test('a device that NetworkManager keeps as disconnected is deleted', async (t) => {
  const device = { name: 'br-ex', type: ovsInterface, states: [activated, disconnected, disconnected] };
  t.strictSame(await callsFor(['br-ex'], [device]), [...ended, 'remove br-ex', waited, 'delete /Devices/0', waited]);
});

t.test('a device that NetworkManager has removed in the meantime', async (t) => {
  const device = { name: 'br-ex', type: ovsInterface, states: [disconnected], refusal: 'no such device' };
  t.strictSame(await callsFor([], [device]), [...ended, 'delete /Devices/0', waited]);
});

t.test('devices of other names and types stay', async (t) => {
  const devices = [
    { name: 'br-int', type: ovsInterface, states: [disconnected] },
    { name: 'br-ex', type: ovsBridge, states: [disconnected] },
  ];
  t.strictSame(await callsFor(['br-ex'], devices), [...ended, 'remove br-ex']);
});
