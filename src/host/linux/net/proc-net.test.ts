import { describe, expect, test } from 'bun:test';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { createFiles } from '../files.ts';
import { netDirectory, parseSockets } from './proc-net.ts';

const headings = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
const rest = '00000000:00000000 00:00000000 00000000  1000        0 54321 1 00000000b43dd188 100 0 0 10 0\n';

test.each([
  ['01', 'ESTABLISHED'],
  ['02', 'SYN_SENT'],
  ['03', 'SYN_RECV'],
  ['04', 'FIN_WAIT1'],
  ['05', 'FIN_WAIT2'],
  ['06', 'TIME_WAIT'],
  ['07', 'CLOSE'],
  ['08', 'CLOSE_WAIT'],
  ['09', 'LAST_ACK'],
  ['0A', 'LISTEN'],
  ['0B', 'CLOSING'],
  ['0C', 'SYN_RECV'],
  ['0D', 'NONE'],
])('the state %s is %s', (state, status) => {
  const text = `${headings}   0: 0100007F:1F90 0200000A:01BB ${state} ${rest}`;
  expect(parseSockets(text, { family: 2, type: 1 }, 10)).toEqual([
    { family: 2, type: 1, local: '127.0.0.1:8080', remote: '10.0.0.2:443', status, inode: 54_321, uid: 1000 },
  ]);
});

describe('a socket table of /proc/net', () => {
  const line = (number: number, remotePort = '0000') =>
    `${String(number).padStart(4)}: 00000000:0016 00000000:${remotePort} 0A ${rest}`;

  test('may have more lines than fit its first column', () => {
    const text = headings + line(9) + line(10_000) + line(123_456);
    expect(parseSockets(text, { family: 2, type: 1 }, 10).map(({ local }) => local)).toEqual(
      Array(3).fill('0.0.0.0:22'),
    );
  });

  test('is read up to the requested number', () => {
    const text = headings + Array.from({ length: 50 }, (_value, index) => line(index)).join('');
    expect(parseSockets(text, { family: 2, type: 1 }, 7)).toHaveLength(7);
  });

  test('without entries, or without even a heading, is empty', () => {
    expect(parseSockets(headings, { family: 2, type: 1 }, 7)).toEqual([]);
    expect(parseSockets('', { family: 10, type: 1 }, 7)).toEqual([]);
  });

  test('may end without a line end', () => {
    const text = (headings + line(0)).trimEnd();
    expect(parseSockets(text, { family: 2, type: 1 }, 7).map(({ inode }) => inode)).toEqual([54_321]);
  });

  test('of IPv6 has words with their last byte first', () => {
    const local = 'B80D0120000000000000000001000000';
    const remote = '0000000000000000FFFF0000010200C0';
    const text = `${headings}   0: ${local}:01BB ${remote}:C001 01 ${rest}`;
    expect(parseSockets(text, { family: 10, type: 1 }, 7)).toMatchObject([
      { family: 10, local: '[2001:db8::1]:443', remote: '[::ffff:192.0.2.1]:49153' },
    ]);
  });
});

test('the network of a moved /proc is that of its first process, if readable', () => {
  expect(netDirectory(machineFiles({ '/proc/1/net/dev': '' }))).toBe('/proc/1/net');
  expect(netDirectory(machineFiles({ '/proc/1/comm': 'init' }))).toBe('/proc/net');
  expect(netDirectory(createFiles({}))).toBe('/proc/net');
});
