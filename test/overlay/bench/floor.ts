// Client that only follows the pods and annotates each, without a database; its figures show the limit that the API
// server sets. Arguments: HOST PORT CA-FILE TOKEN.
import { readFileSync } from 'node:fs';
import { openApi } from './api.ts';

const [host = '', port = '', caFile = '', token = ''] = process.argv.slice(2);
const api = openApi({ host, port: Number(port), ca: readFileSync(caFile), token }, 8);
const addresses = { ip_addresses: ['10.42.0.3/24'], mac_address: '0a:58:0a:2a:00:03', gateway_ips: ['10.42.0.1'] };
const annotations = { ovn: JSON.stringify({ default: addresses }) };
await api.watch('/api/v1/pods', ({ type, object }) => {
  if (type !== 'ADDED' || object.metadata.annotations?.ovn !== undefined) return;
  const path = `/api/v1/namespaces/${object.metadata.namespace}/pods/${object.metadata.name}`;
  void api.send('PATCH', path, { metadata: { annotations } }, 'application/merge-patch+json');
});
