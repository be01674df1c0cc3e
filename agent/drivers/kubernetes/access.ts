import type { RequestOptions } from 'node:https';

/** How to reach a cluster and who we are there. */
export interface Access {
  readonly path: string;
  readonly server: URL;
  /** TLS and authentication, ready for a request. */
  readonly options: RequestOptions;
}
