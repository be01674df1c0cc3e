/** Returns the paths of the files in a folder of keys and certificates. */
export function pkiFiles(folder: string) {
  return {
    authorityKey: `${folder}/ca.key`,
    /** Key of a new authority, until ca.crt contains the certificate of that authority. */
    nextAuthorityKey: `${folder}/ca-next.key`,
    /** Authorities that this node trusts: one, or two during a replacement. The last one signs. */
    authority: `${folder}/ca.crt`,
    /** Key and certificate of the node, in one file, so that they change together. */
    own: `${folder}/node.pem`,
    /** Key of the node's next certificate, with the certificate request. */
    request: `${folder}/request.pem`,
    /** Empty file that exists from the removal of an authority until the connections of all clients are ended. */
    endConnections: `${folder}/end-connections`,
    issued: (node: string) => `${folder}/issued/${node}.crt`,
  };
}

/** Returns the paths that the daemons of this node read; key and certificate are in one file. */
export function tlsFiles(folder: string) {
  const { own, authority } = pkiFiles(folder);
  return { privateKey: own, certificate: own, caCertificate: authority };
}
