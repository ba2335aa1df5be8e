import { expect, test } from 'bun:test';
import { quietTray } from '../../../test/harness/tray-facts.ts';
import { type TrayFacts, trayView } from './tray.menu.ts';

const at = new Date(2026, 10, 17, 15, 4, 30).getTime();
const labels = (facts: Partial<TrayFacts>) =>
  trayView({ ...quietTray, ...facts }).items.map((item) => item && `${item.isNote ? '(' : ''}${item.label}`);

test('the menu of an idle service', () => {
  expect(labels({})).toEqual([
    'Open dashboard',
    null,
    '(No client is connected',
    null,
    'Pause control for an hour',
    'Pause control until resumed',
    null,
    'Copy address',
    'About',
    'Quit',
  ]);
  expect(trayView(quietTray)).toMatchObject({ tip: 'Hostler', icon: 'normal' });
  expect(
    trayView(quietTray)
      .items.find((item) => item?.id === 'about')
      ?.items?.map(({ label }) => label),
  ).toEqual(['Hostler 7.0.0', 'http://localhost:9170']);
});

test('a click on the icon always opens the dashboard', () => {
  const pending = { number: 1, verb: 'restart', will: 'The machine will restart', at, token: 'Phone' };
  for (const facts of [{}, { pending }, { prompt: { number: 1, title: 'x' } }, { crashes: 'It crashed' }])
    expect(trayView({ ...quietTray, ...facts }).items[0]?.id).toBe('open');
});

test('a pending order is named, and can be cancelled by its number', () => {
  const pending = { number: 7, verb: 'restart', will: 'The machine will restart', at, token: 'Phone' };
  const view = trayView({ ...quietTray, pending });
  expect(view.items.slice(2, 5)).toEqual([
    { id: 'clients', label: 'No client is connected', isNote: true },
    { id: 'pending:7', label: 'The machine will restart at 15:04, ordered by Phone', isNote: true },
    { id: 'cancel:7', label: 'Cancel the restart' },
  ]);
  expect([view.icon, view.tip]).toEqual(['attention', 'Hostler: the machine will restart at 15:04']);
});

test('a pause is shown with its end and a way to resume, and attention comes first', () => {
  const paused = { since: 0, until: at, by: 'main' };
  expect(labels({ paused })).toContain('(Control is paused until 15:04');
  expect(labels({ paused })).toContain('Resume control');
  expect(labels({ paused })).not.toContain('Pause control for an hour');
  expect(trayView({ ...quietTray, paused }).icon).toBe('paused');
  expect(trayView({ ...quietTray, paused, prompt: { number: 1, title: 'x' } }).icon).toBe('attention');
  expect(trayView({ ...quietTray, paused: { ...paused, until: null } }).tip).toBe(
    'Hostler: control is paused until it is resumed',
  );
});

test('connected clients are named, a few of them and each once', () => {
  expect(labels({ clients: ['HA', 'HA', 'Phone'] })).toContain('(3 connected: HA, Phone');
  const many = Array.from({ length: 90 }, (_, at) => `client ${at}`);
  expect(labels({ clients: many })).toContain('(90 connected: client 0, client 1, client 2, client 3 and 86 more');
});

test('outside text stays one short line without control characters', () => {
  const hostile = `\u202eevil\u0000\n\u2028${'x'.repeat(10_000)}`;
  const view = trayView({ ...quietTray, clients: [hostile], prompt: { number: 2, title: hostile } });
  for (const item of view.items) {
    expect(item?.label ?? '').not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
    expect((item?.label ?? '').length).toBeLessThan(80);
  }
  expect(view.tip).toBe('Hostler: a client asks for your permission');
});
