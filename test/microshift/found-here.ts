// Prints the node address that MicroShift finds in this network namespace according to the agent's rules. With the
// argument `signpost`, first adds the route that makes MicroShift find the address of lo (place-signpost.ts).
import { readLinks } from '../../agent/drivers/host/kernel/links.ts';
import { placeSignpost } from '../../agent/drivers/host/kernel/place-signpost.ts';
import { readRoutes, readSignpost } from '../../agent/drivers/host/kernel/routes.ts';
import { signpostFact } from '../../agent/facts/make-observation.ts';
import { microshiftAddresses } from '../../agent/plan/microshift-address.ts';

if (process.argv[2] === 'signpost') {
  const refusal = await placeSignpost();
  if (refusal !== null) throw new Error(refusal);
}
const unset = { value: null, source: 'default' };
const host = { links: readLinks(), routes: readRoutes(), ...signpostFact(readSignpost()) };
process.stdout.write(`${microshiftAddresses({ nodeIp: unset, nodeIpv6: unset }, host).nodeIp}\n`);
