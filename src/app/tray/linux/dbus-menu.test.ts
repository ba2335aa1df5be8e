import { expect, test } from 'bun:test';
import type { OfferedSignal } from '@hostler/dbus/dbus.ts';
import { fakeClock } from '../../../../test/doubles/fake-host.ts';
import type { TrayItem, TrayView } from '../tray.contract.ts';
import { createDbusMenu, longestOpenMs, unaimedMs } from './dbus-menu.ts';

const open: TrayItem = { id: 'open', label: 'Open dashboard' };
const cancel: TrayItem = { id: 'cancel:1', label: 'Cancel the restart' };
const quit: TrayItem = { id: 'quit', label: 'Quit' };

function panel(first: TrayView['items'] = [open, null, quit]) {
  const clock = fakeClock();
  const chosen: string[] = [];
  const emitted: OfferedSignal[] = [];
  const notes: string[] = [];
  const now: { items: TrayView['items'] } = { items: first };
  const menu = createDbusMenu(
    {
      chosen: (id) => void chosen.push(id),
      opening: async () => ({ tip: '', icon: 'normal', items: now.items }),
      note: (sentence) => void notes.push(sentence),
    },
    { clock, emit: (signal) => void emitted.push(signal), path: '/MenuBar' },
  );
  menu.update(first);
  clock.advance(unaimedMs);
  const call = async (member: string, ...values: unknown[]) =>
    (await menu.offered.methods?.[member]?.run(values)) ?? [];
  /** As panels see it: number and label. */
  const entries = async () => {
    const [, layout] = await call('GetLayout', 0, -1, []);
    const [, , children] = layout as [number, object, { value: [number, Record<string, unknown>, unknown[]] }[]];
    return children.map(({ value: [number, properties] }) => [number, properties.label ?? properties.type] as const);
  };
  const numberOf = async (label: string) => (await entries()).find((entry) => entry[1] === label)?.[0] ?? -1;
  const press = (number: number) => call('Event', number, 'clicked', 0, 0);
  const become = (items: TrayView['items']) => {
    now.items = items;
    menu.update(items);
  };
  return { clock, chosen, emitted, notes, call, entries, numberOf, press, become, now, menu };
}

test('panels see the entries, and a press chooses the entry that was shown', async () => {
  const { entries, press, numberOf, chosen } = panel();
  expect((await entries()).map(([, label]) => label)).toEqual(['Open dashboard', 'separator', 'Quit']);
  await press(await numberOf('Open dashboard'));
  await press(await numberOf('Quit'));
  await press(999);
  await press(0);
  expect(chosen).toEqual(['open', 'quit']);
});

test('a number never changes its meaning, also when entries come and go', async () => {
  const { become, press, numberOf, chosen, clock, entries } = panel();
  const [openBefore, quitBefore] = [await numberOf('Open dashboard'), await numberOf('Quit')];
  become([open, cancel, quit]);
  const first = await numberOf('Cancel the restart');
  become([open, quit]);
  clock.advance(unaimedMs);
  await press(first);
  expect(chosen).toEqual([]);
  become([open, { ...cancel, id: 'cancel:2' }, quit]);
  clock.advance(unaimedMs);
  await press(first);
  expect(chosen).toEqual([]);
  expect(await numberOf('Cancel the restart')).not.toBe(first);
  expect([await numberOf('Open dashboard'), await numberOf('Quit')]).toEqual([openBefore, quitBefore]);
  const numbers = (await entries()).map(([number]) => number);
  expect(new Set(numbers).size).toBe(numbers.length);
});

test('the open menu does not change: updates wait until it is closed', async () => {
  const { call, become, entries, emitted, now } = panel();
  now.items = [open, { id: 'clients', label: '1 connected: Phone', isNote: true }, quit];
  expect(await call('AboutToShow', 0)).toEqual([true]);
  expect(emitted.at(-1)?.member).toBe('LayoutUpdated');
  const shown = await entries();
  expect(shown.map(([, label]) => label)).toEqual(['Open dashboard', '1 connected: Phone', 'Quit']);
  const before = emitted.length;
  become([cancel, open, quit]);
  expect(await entries()).toEqual(shown);
  expect(emitted).toHaveLength(before);
  await call('Event', 0, 'closed', 0, 0);
  expect((await entries()).map(([, label]) => label)).toEqual(['Cancel the restart', 'Open dashboard', 'Quit']);
  expect(emitted.at(-1)?.member).toBe('LayoutUpdated');
});

test('opening the menu again, or choosing an entry, shows the current items', async () => {
  const { call, become, entries, press, numberOf, clock } = panel();
  await call('AboutToShow', 0);
  become([open, cancel, quit]);
  expect((await entries()).map(([, label]) => label)).not.toContain('Cancel the restart');
  expect(await call('AboutToShow', 0)).toEqual([true]);
  expect((await entries()).map(([, label]) => label)).toContain('Cancel the restart');
  become([open, quit]);
  clock.advance(unaimedMs);
  await press(await numberOf('Open dashboard'));
  expect((await entries()).map(([, label]) => label)).toEqual(['Open dashboard', 'Quit']);
});

test('a menu that is never reported closed counts as closed after a while', async () => {
  const { call, become, entries, clock } = panel();
  await call('AboutToShow', 0);
  become([open, cancel, quit]);
  expect(await entries()).toHaveLength(3);
  clock.advance(longestOpenMs);
  expect((await entries()).map(([, label]) => label)).toContain('Cancel the restart');
});

test('a press right after a change under the pointer does not count; one after opening does', async () => {
  const { become, press, numberOf, chosen, clock, notes, call, now } = panel();
  become([cancel, open, quit]);
  await press(await numberOf('Quit'));
  expect(chosen).toEqual([]);
  expect(notes).toHaveLength(1);
  clock.advance(unaimedMs);
  await press(await numberOf('Quit'));
  expect(chosen).toEqual(['quit']);
  become([open, quit]);
  expect(await call('AboutToShow', 0)).toEqual([false]);
  await press(await numberOf('Open dashboard'));
  expect(chosen).toEqual(['quit', 'open']);
  // Some panels show the previous menu until they have fetched the new one.
  now.items = [cancel, open, quit];
  expect(await call('AboutToShow', 0)).toEqual([true]);
  await press(await numberOf('Cancel the restart'));
  expect(chosen).toEqual(['quit', 'open']);
  clock.advance(unaimedMs);
  await press(await numberOf('Cancel the restart'));
  expect(chosen).toEqual(['quit', 'open', 'cancel:1']);
});

test('notes and submenus cannot be chosen', async () => {
  const about: TrayItem = { id: 'about', label: 'About', items: [{ id: 'version', label: 'Hostler 7', isNote: true }] };
  const { call, press, numberOf, chosen } = panel([open, { id: 'clients', label: 'Note', isNote: true }, about]);
  await press(await numberOf('Note'));
  await press(await numberOf('About'));
  expect(chosen).toEqual([]);
  const [groups] = await call('GetGroupProperties', [await numberOf('Note'), await numberOf('About')], []);
  expect(groups).toEqual([
    [await numberOf('Note'), { label: 'Note', enabled: false }],
    [await numberOf('About'), { label: 'About', 'children-display': 'submenu' }],
  ]);
});

test('labels are shown literally: an underscore marks no key, and long ones are cut', async () => {
  const { entries } = panel([
    { id: 'a', label: 'my_phone' },
    { id: 'b', label: 'x'.repeat(5000) },
  ]);
  const [first, second] = await entries();
  expect(first?.[1]).toBe('my__phone');
  expect(String(second?.[1])).toHaveLength(120);
});

test('several events come at once, and unknown entries are reported', async () => {
  const { call, numberOf, chosen } = panel();
  const number = await numberOf('Open dashboard');
  expect(
    await call('EventGroup', [
      [number, 'clicked', 0, 0],
      [77, 'clicked', 0, 0],
    ]),
  ).toEqual([[77]]);
  expect(chosen).toEqual(['open']);
  expect(await call('AboutToShowGroup', [0, 55])).toEqual([[], [55]]);
  expect(await call('GetProperty', number, 'label')).toEqual(['Open dashboard']);
  await expect(call('GetProperty', number, 'constructor')).rejects.toThrow('no longer has this entry');
  await expect(call('GetLayout', 55, -1, [])).rejects.toThrow('no longer has this entry');
});
