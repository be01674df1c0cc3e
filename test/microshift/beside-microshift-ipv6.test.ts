// A real MicroShift on nodes with IPv6, alone or beside IPv4.
import t from 'tap';
import { besideMicroShift } from './beside-microshift.ts';
import { microshiftSkip } from './microshift-folder.ts';
import { ipv6Shapes, wantedShapes } from './microshift-shapes.ts';

for (const shape of wantedShapes(ipv6Shapes))
  t.test(`MicroShift, ${shape.name}`, { skip: microshiftSkip }, (t) => besideMicroShift(t, shape));
