import { type AgentError, errorTable } from '../errors.ts';
import { configProblemsText } from './config-view.ts';
import { joinLines, type Style } from './style.ts';

/** `what: why; do this` on one line; for a configuration that is wrong, every problem with its source line and a caret below the place. */
export function errorText(error: AgentError, style: Style): string {
  return `${style('red', 'microshift-net:')} ${configProblemsText(error)}`;
}

/** The line, its facts and its chain of causes. */
export function errorDetail(error: AgentError, style: Style): string {
  const facts = Object.entries(error.facts)
    .filter(([key]) => !/snippet/i.test(key))
    .flatMap(([key, value]) => {
      const [first, ...more] = Array.isArray(value) ? value : [value];
      return [`  ${key}: ${first}`, ...more.map((line) => `    ${line}`)];
    });
  const causes = causeMessages(error).map((message) => `  caused by: ${message}`);
  return joinLines([...errorText(error, style).split('\n'), `  kind: ${error.kind}`, ...facts, ...causes]);
}

/** The machine form of an error. */
export function errorJson(error: AgentError): object {
  return {
    error: {
      kind: error.kind,
      message: error.message,
      hint: error.hint ?? null,
      exitCode: errorTable[error.kind].exitCode,
      retryable: errorTable[error.kind].retryable,
      facts: error.facts,
      causes: causeMessages(error),
    },
  };
}

function causeMessages(error: unknown): readonly string[] {
  const messages: string[] = [];
  let cause = error instanceof Error ? error.cause : undefined;
  while (cause instanceof Error && messages.length < 8) {
    messages.push(cause.message);
    cause = cause.cause;
  }
  return messages;
}
