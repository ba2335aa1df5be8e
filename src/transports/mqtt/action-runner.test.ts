import { expect, test } from 'bun:test';
import path from 'node:path';
import { fakeClock } from '../../../test/doubles/fake-host.ts';
import type { ActionDefinition } from '../../core/action.ts';
import type { TransportParts } from '../../core/transport.ts';
import { commandExecute } from '../../features/command/command.ts';
import { playActions } from '../../features/media/play.actions.ts';
import { ServiceError } from '../../lib/errors.ts';
import { createActionRunner } from './action-runner.ts';

test('at most eight actions of a burst run at a time', async () => {
  const clock = fakeClock();
  const running: (() => void)[] = [];
  // An action that reads uses only these.
  const parts = {
    service: {
      perform: () => new Promise((resolve) => running.push(() => resolve({ message: 'done' }))),
      history: { note: () => {} },
    },
    host: { clock, storage: { prepareDirectory: () => {}, append: () => {} }, paths: { state: '/state' } },
    log: { warn: () => {}, error: () => {} },
    settings: { current: () => ({ mqtt: { scopes: ['read'] } }) },
  } as unknown as TransportParts;
  const action = {
    name: 'slow',
    effect: 'read',
    scopes: ['read'],
    entities: async () => ({}),
  } as unknown as ActionDefinition;
  const runner = createActionRunner(parts, 'broker', () => {});
  const outcomes = Array.from({ length: 50 }, () => runner.perform(action, {}).then(() => 'done', String));
  await Bun.sleep(0);
  expect(running.length).toBe(8);
  for (const finish of running) finish();
  const refused = (await Promise.all(outcomes)).filter((outcome) => outcome.includes('Too many actions are requested'));
  expect(refused.length).toBe(42);
});

test('an action is one line of the history, with the name of the command; a refused one is none', async () => {
  const noted: string[] = [];
  const audited: string[] = [];
  const outcomes = [{ message: 'ok' }, new ServiceError('not_found', 'no'), new ServiceError('forbidden', 'no')];
  const parts = {
    service: {
      async perform(
        _action: unknown,
        input: object,
        _caller: unknown,
        { starting }: { starting(input: object): void },
      ) {
        const outcome = outcomes.shift();
        if (!(outcome instanceof ServiceError && outcome.code === 'forbidden')) starting(input);
        if (outcome instanceof Error) throw outcome;
        return outcome;
      },
      history: { note: (kind: string, text: string) => void noted.push(`${kind}: ${text}`) },
    },
    host: {
      clock: fakeClock(),
      storage: { append: (_file: string, line: string) => void audited.push(JSON.parse(line).decision) },
      paths: { state: '/state' },
    },
    log: { warn: () => {}, error: () => {} },
    settings: {
      current: () => ({
        mqtt: { scopes: ['command'] },
        commands: { allowlist: [{ id: 'site', name: 'Build the site' }] },
      }),
    },
  } as unknown as TransportParts;
  const { entities: _controls, ...action } = commandExecute;
  const runner = createActionRunner(parts, 'broker', () => {});
  for (const commandID of ['site', 'gone', 'site'])
    await runner.perform(action as unknown as ActionDefinition, { commandID }).catch(() => {});
  expect(noted).toEqual([
    'mqtt: Build the site, by MQTT',
    'mqtt: Runs a program that the settings allow, by MQTT: not found',
  ]);
  expect(audited).toEqual(['started', 'done', 'started', 'not_found', 'refused']);
});

test('the audit log has what the schema accepted, cut and without secrets, apart from what agents did', async () => {
  const entries: [string, unknown][] = [];
  const parts = {
    service: {
      async perform(
        _action: unknown,
        input: object,
        _caller: unknown,
        { starting }: { starting(input: object): void },
      ) {
        if ('refused' in input) throw new ServiceError('invalid', 'no');
        starting(input);
        return { message: 'ok' };
      },
      history: { note: () => {} },
    },
    host: {
      clock: fakeClock(),
      storage: {
        append: (file: string, line: string) => void entries.push([file, JSON.parse(line).arguments]),
      },
      paths: { state: '/state' },
    },
    log: { warn: () => {}, error: () => {} },
    settings: { current: () => ({ mqtt: { scopes: ['media'] }, commands: { allowlist: [] } }) },
  } as unknown as TransportParts;
  const runner = createActionRunner(parts, 'broker', () => {});
  const find = (name: string) => {
    const { entities: _controls, ...action } = playActions.find((each) => each.name === name) ?? playActions[0];
    return action as unknown as ActionDefinition;
  };
  await runner.perform(find('speech.say'), { text: 'Your code is 1234', voice: 'v'.repeat(60_000) });
  await runner.perform(find('media.play'), { url: 'https://home.example/a.mp3?authSig=s3cr3t', volume: 60 });
  await runner.perform(find('media.play'), { refused: 'x'.repeat(60_000) }).catch(() => {});
  const spoken = { text: '(not recorded)', voice: `${'v'.repeat(499)}…` };
  const played = { url: 'https://home.example/…', volume: '60' };
  const acting = path.join('/state', 'mqtt-acting.log');
  expect(entries).toEqual([
    [acting, spoken],
    [acting, spoken],
    [acting, played],
    [acting, played],
    [path.join('/state', 'agents-reading.log'), null],
  ]);
});
