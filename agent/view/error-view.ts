import type { AgentError } from '../errors.ts';
import { causeMessages, failuresOf } from '../failures.ts';
import { configProblemsText } from './config-view.ts';
import { joinLines, type Style } from './style.ts';

/**
 * Returns `what: why; remedy` on one line, and another line for each later failure. For an invalid configuration,
 * returns every problem with its source line and a caret below the position.
 */
export function errorText(error: AgentError, style: Style): string {
  return joinLines(failuresOf(error).flatMap((failure, index) => textOf(failure, index, style).split('\n')));
}

/** Returns an error as text, with the facts and the chain of causes of each failure. */
export function errorDetail(error: AgentError, style: Style): string {
  return joinLines(failuresOf(error).flatMap((failure, index) => detailOf(failure, index, style)));
}

/**
 * Returns one failure as text. The first failure has the name of the program in front. Later failures are consequences
 * of the first.
 */
function textOf(failure: AgentError, index: number, style: Style): string {
  const text = configProblemsText(failure);
  return index === 0 ? `${style('red', 'microshift-net:')} ${text}` : `  then: ${text}`;
}

function detailOf(error: AgentError, index: number, style: Style): readonly string[] {
  const facts = Object.entries(error.facts)
    .filter(([key]) => !/snippet/i.test(key))
    .flatMap(([key, value]) => {
      if (Array.isArray(value) && value.length === 0) return [];
      const [first, ...more] = Array.isArray(value) ? value : [value];
      return [`  ${key}: ${first}`, ...more.map((line) => `    ${line}`)];
    });
  const causes = causeMessages(error).map((message) => `  caused by: ${message}`);
  return [...textOf(error, index, style).split('\n'), `  kind: ${error.kind}`, ...facts, ...causes];
}
