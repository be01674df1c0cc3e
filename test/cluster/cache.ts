/** What takes long to make is kept here between runs. */
export const cacheRoot = process.env.MICROSHIFT_NET_CACHE ?? '/var/cache/microshift-net';
