import { AgentError } from '../../../errors.ts';
import { defaultGlobalNamespaces, defaultGroupLabel, type Isolation } from '../../../model/namespace-isolation.ts';

/** Options of `overlay isolation enable`. */
export interface IsolationOptions {
  /** Names of namespaces, each one word or several words with commas between them. */
  readonly global?: readonly string[];
  readonly groupLabel?: string;
}

/** Pattern of the name of a namespace (RFC 1123 label). */
const namePattern = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
/**
 * Pattern of the key of a label: a name, which may follow a domain and a slash (Kubernetes, "Labels and Selectors").
 */
const keyPattern = /^(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/** Converts the options of `overlay isolation enable`. Fails with `bad-usage` for an invalid name or key. */
export function isolationFrom({ global, groupLabel = defaultGroupLabel }: IsolationOptions): Isolation {
  const words = global?.flatMap((word) => word.split(',')).filter((word) => word !== '');
  const globalNamespaces = [...new Set(words ?? defaultGlobalNamespaces)].toSorted();
  const wrong = globalNamespaces.find((name) => !namePattern.test(name));
  if (wrong !== undefined)
    throw new AgentError('bad-usage', `"${wrong}" cannot be the name of a namespace`, {
      hint: 'name namespaces, for example --global default kube-system',
    });
  if (!keyPattern.test(groupLabel))
    throw new AgentError('bad-usage', `"${groupLabel}" cannot be the key of a label`, {
      hint: `write a key as ${defaultGroupLabel}`,
    });
  return { globalNamespaces, groupLabel };
}
