// Location of the node's shell scripts and LAN files: the source tree, not the folder of the compiled code.
import path from 'node:path';

export const projectDir = process.cwd();
export const sourceDir = path.join(projectDir, 'test/node');
export const compiledDir = path.join(projectDir, 'build/test/node');
