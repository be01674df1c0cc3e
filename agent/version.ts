/** Set by the bundler from package.json; sources run unbundled only in tests. */
declare const MICROSHIFT_NET_VERSION: string | undefined;

export const agentVersion = typeof MICROSHIFT_NET_VERSION === 'string' ? MICROSHIFT_NET_VERSION : '0.0.0-source';
