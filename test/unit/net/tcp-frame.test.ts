// Frames with a TCP segment, checked in the same way as a receiver checks them.
import t from 'tap';
import { tcpFrame } from '../../../agent/net/tcp-frame.ts';

/** Returns the sum of RFC 1071, which is all ones over correct data including its checksum. */
function sumOf(bytes: Buffer): number {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += 2) sum += bytes.readUInt16BE(at);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return sum;
}

const mac = '52:54:00:AA:00:00';

t.test('IPv4', (t) => {
  const frame = Buffer.from(
    tcpFrame(mac, { address: '192.0.2.9', port: 50_000 }, { address: '192.0.2.50', port: 22 }, 'syn', 7),
    'hex',
  );
  t.equal(frame.length, 14 + 20 + 20);
  t.equal(frame.toString('hex', 0, 6), '525400aa0000');
  const [header, segment] = [frame.subarray(14, 34), frame.subarray(34)];
  t.equal(header.readUInt16BE(2), 40, 'the total length is 40 bytes');
  t.equal(sumOf(header), 0xffff);
  t.strictSame([...header.subarray(12)], [192, 0, 2, 9, 192, 0, 2, 50]);
  t.equal(sumOf(Buffer.concat([header.subarray(12), Buffer.from([0, 6, 0, 20]), segment])), 0xffff);
  t.strictSame(
    [segment.readUInt16BE(0), segment.readUInt16BE(2), segment.readUInt32BE(4), segment[13]],
    [50_000, 22, 7, 2],
  );
  t.end();
});

t.test('IPv6', (t) => {
  const frame = Buffer.from(
    tcpFrame(mac, { address: '2001:db8::9', port: 50_000 }, { address: '2001:db8::50', port: 22 }, 'rst', 8),
    'hex',
  );
  t.equal(frame.length, 14 + 40 + 20);
  const [header, segment] = [frame.subarray(14, 54), frame.subarray(54)];
  t.strictSame([header[0], header.readUInt16BE(4), header[6]], [0x60, 20, 6]);
  t.equal(header.toString('hex', 8, 24), '20010db8000000000000000000000009');
  t.equal(sumOf(Buffer.concat([header.subarray(8), Buffer.from([0, 0, 0, 20, 0, 0, 0, 6]), segment])), 0xffff);
  t.equal(segment[13], 4);
  t.end();
});
