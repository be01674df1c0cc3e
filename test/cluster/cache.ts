/** Folder that keeps programs and files between test runs, because they take long to make. */
export const cacheRoot = process.env.MICROSHIFT_NET_CACHE ?? '/var/cache/microshift-net';
