import { readTuning } from './drivers/host/daemons.ts';
import { readSmallFile } from './drivers/host/files.ts';
import { readLinks } from './drivers/host/links.ts';
import { hasProgram } from './drivers/host/programs.ts';
import { readRoutes } from './drivers/host/routes.ts';
import type { HostPorts } from './observe/observe.ts';

/** What observing needs of this machine. */
export const hostPorts: HostPorts = {
  links: () => readLinks(),
  routes: () => readRoutes(),
  readFile: (path) => readSmallFile(path),
  environment: process.env,
  tuning: () => readTuning(),
  hasProgram,
};
