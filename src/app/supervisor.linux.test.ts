import { expect, test } from 'bun:test';
import { fakeClock } from '../../test/doubles/fake-host.ts';
import { openNotifySocket } from '../../test/harness/notify-socket.ts';
import { createSender, openSupervisor, socketAddress, watchdogMs } from './supervisor.linux.ts';

test.each([false, true])('systemd hears of the whole life, in a socket that is abstract: %p', (isAbstract) => {
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

test('programs that we start are not told whom to notify', () => {
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

test('the watchdog of another process is not ours', () => {
  expect(watchdogMs('20000000', '12', 12)).toBe(20_000);
  expect(watchdogMs('20000000', undefined, 12)).toBe(20_000);
  expect(watchdogMs('20000000', '13', 12)).toBeNull();
  expect(watchdogMs(undefined, undefined, 12)).toBeNull();
  expect(watchdogMs('soon', undefined, 12)).toBeNull();
});

test('what is no socket of this machine is left alone', () => {
  expect(socketAddress('vsock:2:1234')).toBeNull();
  expect(socketAddress('')).toBeNull();
  expect(socketAddress(`/${'long'.repeat(30)}`)).toBeNull();
  expect(openSupervisor({ NOTIFY_SOCKET: 'vsock:2:1234' }, fakeClock())).toBeNull();
});

test('what systemd is too busy for is said again, in order', () => {
  const clock = fakeClock();
  const heard: string[] = [];
  let isBusy = true;
  const send = createSender((text) => !isBusy && heard.push(text) > 0, clock);
  send('READY=1');
  send('STOPPING=1');
  clock.advance(1000);
  expect(heard).toEqual([]);
  isBusy = false;
  clock.advance(1000);
  expect(heard).toEqual(['READY=1', 'STOPPING=1']);
  send('STATUS=x');
  expect(heard.at(-1)).toBe('STATUS=x');
});
