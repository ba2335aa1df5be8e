import { expect, test } from 'bun:test';
import { fakeClock } from '../../test/doubles/fake-host.ts';
import { openNotifySocket } from '../../test/harness/notify-socket.ts';
import { createSender, openSupervisor, socketAddress, watchdogMs } from './supervisor.linux.ts';

test.each([false, true])('systemd gets every state, over an abstract socket: %p', (isAbstract) => {
  using socket = openNotifySocket({ isAbstract });
  const variables: Record<string, string> = { NOTIFY_SOCKET: socket.name, WATCHDOG_USEC: '3000000', PATH: '/bin' };
  const supervisor = openSupervisor(variables, fakeClock());
  expect(supervisor?.watchdogMs).toBe(3000);
  supervisor?.ready('Hostler on\nport 9170');
  supervisor?.alive();
  supervisor?.reloading();
  supervisor?.stopping();
  const [ready, alive, reloading = '', stopping] = socket.messages();
  expect([ready, alive, stopping]).toEqual([
    'READY=1\nSTATUS=Hostler on port 9170',
    'WATCHDOG=1',
    'STOPPING=1\nSTATUS=Stopping',
  ]);
  const [, microseconds] = /^RELOADING=1\nMONOTONIC_USEC=(\d+)\n/.exec(reloading) ?? [];
  expect(Number(microseconds)).toBeGreaterThan(0);
});

test('started programs do not inherit the notification variables', () => {
  using socket = openNotifySocket();
  const variables: Record<string, string> = {
    NOTIFY_SOCKET: socket.name,
    WATCHDOG_USEC: '1',
    WATCHDOG_PID: '1',
    PATH: '/bin',
  };
  openSupervisor(variables, fakeClock());
  expect(variables).toEqual({ PATH: '/bin' });
});

test('the watchdog of another process is ignored', () => {
  expect(watchdogMs('20000000', '12', 12)).toBe(20_000);
  expect(watchdogMs('20000000', undefined, 12)).toBe(20_000);
  expect(watchdogMs('20000000', '13', 12)).toBeNull();
  expect(watchdogMs(undefined, undefined, 12)).toBeNull();
  expect(watchdogMs('soon', undefined, 12)).toBeNull();
});

test('an address that is not a local socket is ignored', () => {
  expect(socketAddress('vsock:2:1234')).toBeNull();
  expect(socketAddress('')).toBeNull();
  expect(socketAddress(`/${'long'.repeat(30)}`)).toBeNull();
  expect(openSupervisor({ NOTIFY_SOCKET: 'vsock:2:1234' }, fakeClock())).toBeNull();
});

test('messages that systemd is too busy for are sent again, in order', () => {
  const clock = fakeClock();
  const received: string[] = [];
  let isBusy = true;
  const send = createSender((text) => !isBusy && received.push(text) > 0, clock);
  send('READY=1');
  send('STOPPING=1');
  clock.advance(1000);
  expect(received).toEqual([]);
  isBusy = false;
  clock.advance(1000);
  expect(received).toEqual(['READY=1', 'STOPPING=1']);
  send('STATUS=x');
  expect(received.at(-1)).toBe('STATUS=x');
});
