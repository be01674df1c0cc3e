import type { Command } from 'commander';
import type { Output } from '../commands/output.ts';
import type { ExitCode } from '../errors.ts';

/** Runs a command; what was given on the command line follows the output. Without an exit code of its own it is done. */
export type Run<Given extends unknown[]> = (output: Output, ...given: Given) => Promise<ExitCode> | Promise<void>;

/** Adds commands to the program, or to a group of it; without a name, what the program itself does. */
export type AddTo = (
  parent: Command,
) => <Given extends unknown[]>(spec: string, description: string, run: Run<Given>) => Command;
