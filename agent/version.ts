/** Version from package.json, which the bundler sets. Only tests run the sources without the bundler. */
declare const MICROSHIFT_NET_VERSION: string | undefined;

export const agentVersion = typeof MICROSHIFT_NET_VERSION === 'string' ? MICROSHIFT_NET_VERSION : '0.0.0-source';
