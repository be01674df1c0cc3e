// A real MicroShift on nodes with IPv4.
import t from 'tap';
import { besideMicroShift } from './beside-microshift.ts';
import { microshiftSkip } from './microshift-folder.ts';
import { ipv4Shapes, wantedShapes } from './microshift-shapes.ts';

for (const shape of wantedShapes(ipv4Shapes))
  t.test(`MicroShift, ${shape.name}`, { skip: microshiftSkip }, (t) => besideMicroShift(t, shape));
