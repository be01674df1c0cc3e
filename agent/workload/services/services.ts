import type { Part } from '../part.ts';

/** Load balancers of services. */
export const services: Part = {
  kind: 'service',
  keys: () => [],
  concerned: () => [],
  want: () => undefined,
};
