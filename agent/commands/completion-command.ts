import { type CompletionDocument, completionDocument } from '../view/json/completion-json.ts';
import type { Output } from './output.ts';

/** `completion`: prints the completion script of a shell. */
export function printCompletion(shellName: CompletionDocument['shellName'], script: string, output: Output): void {
  output.result(script.trimEnd(), completionDocument(shellName, script), null, 'verbatim');
}
