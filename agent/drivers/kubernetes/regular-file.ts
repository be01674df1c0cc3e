import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

/** A kubeconfig with its certificates is some kilobytes, MicroShift's list of images one; nobody's is a megabyte. */
const limitBytes = 1024 * 1024;

/** Reads a regular file of reasonable size. What else has its name is refused: a FIFO would hang, a device fill the memory. */
export function readRegularFile(path: string): Buffer {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const status = fstatSync(descriptor);
    if (!status.isFile()) throw new Error(`${path} is not a regular file`);
    if (status.size > limitBytes)
      throw new Error(`${path} has ${status.size} bytes, which is too much for what it should be`);
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
