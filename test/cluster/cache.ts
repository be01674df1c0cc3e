/** Cache, between runs, of parts that take long to make. */
export const cacheRoot = process.env.MICROSHIFT_NET_CACHE ?? '/var/cache/microshift-net';
