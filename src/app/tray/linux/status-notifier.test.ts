import { expect, test } from 'bun:test';
import { type BusCall, BusError, type OfferedSignal, type Signal } from '@hostler/dbus/dbus.ts';
import type { Offers } from '@hostler/dbus/exported-objects.ts';
import { kinds, readMessage, writeMessage } from '@hostler/dbus/message.ts';
import { wrap } from '@hostler/dbus/wrap.ts';
import { fakeClock } from '../../../../test/doubles/fake-host.ts';
import type { TrayView } from '../tray.contract.ts';
import { awayMs, showStatusNotifier } from './status-notifier.ts';

const view: TrayView = { tip: 'Hostler', icon: 'normal', items: [{ id: 'open', label: 'Open dashboard' }] };
const settle = async () => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

/** A session bus on which a panel may show icons; every connection to it is recorded. */
function desktop({ hasBus = true, hasWatcher = true } = {}) {
  const clock = fakeClock();
  const state = { hasBus, hasWatcher };
  const connections: { offers: Offers; isOpen: boolean; owner(next: string): void }[] = [];
  const registered: string[] = [];
  const emitted: OfferedSignal[] = [];
  const [notes, chosen]: [string[], string[]] = [[], []];
  const watches = new Set<() => void>();
  const openBus = (offers: Offers) => {
    const name = `:1.${connections.length + 1}`;
    const connection = { offers, isOpen: true, owner: (_next: string) => {} };
    connections.push(connection);
    return {
      name: () => (connection.isOpen ? name : null),
      emit: (signal: OfferedSignal) => void emitted.push(signal),
      async call({ member, body = [] }: BusCall) {
        if (member === 'NameHasOwner') return [state.hasWatcher];
        registered.push(String(body[0]));
        return [];
      },
      async subscribe(_match: object, listener: (signal: Signal) => void) {
        if (!state.hasBus) throw new BusError('Client.NoBus', 'There is no session bus.');
        connection.owner = (next) =>
          listener({ sender: '', path: '', interface: '', member: 'NameOwnerChanged', body: ['', '', next] });
        return () => {};
      },
      onReconnected: () => () => {},
      close() {
        connection.isOpen = false;
      },
    };
  };
  const show = () =>
    showStatusNotifier(
      {
        clock,
        openBus,
        watchSession(changed) {
          watches.add(changed);
          return () => void watches.delete(changed);
        },
      },
      view,
      {
        chosen: (id) => void chosen.push(id),
        opening: async () => view,
        note: (sentence) => void notes.push(sentence),
      },
    );
  const open = () => connections.filter(({ isOpen }) => isOpen);
  /** As any program on the bus can. */
  const call = async (path: string, member: string, signature = '', values: unknown[] = []) => {
    const fields = { path, member, sender: ':1.99', ...(signature && { signature }) };
    const bytes = writeMessage(kinds.call, 7, { ...fields, body: wrap(signature, values) });
    return (await open()[0]?.offers.handle(readMessage(bytes)))?.errorName?.split('.').at(-1) ?? 'done';
  };
  return { clock, state, show, connections, open, registered, emitted, notes, chosen, watches, call };
}

test('the icon is registered with the panel, and with every later one', async () => {
  const { show, registered, open, state } = desktop({ hasWatcher: false });
  const icon = await show();
  expect([icon.isShown, registered]).toEqual([false, []]);
  state.hasWatcher = true;
  open()[0]?.owner(':1.50');
  await settle();
  expect([icon.isShown, registered]).toEqual([true, [':1.1']]);
  open()[0]?.owner('');
  await settle();
  expect(icon.isShown).toBe(false);
  open()[0]?.owner(':1.60');
  await settle();
  expect(registered).toEqual([':1.1', ':1.1']);
  icon.remove();
  expect(open()).toEqual([]);
});

test('without a session it waits for one, without a timer', async () => {
  const { show, state, watches, registered, clock, connections } = desktop({ hasBus: false });
  const icon = await show();
  expect(watches.size).toBe(1);
  clock.advance(86_400_000);
  await settle();
  expect(connections).toHaveLength(1);
  for (const changed of [...watches]) changed();
  await settle();
  expect(watches.size).toBe(1);
  state.hasBus = true;
  for (const changed of [...watches]) changed();
  await settle();
  expect([watches.size, registered.length, icon.isShown]).toEqual([0, 1, true]);
  icon.remove();
  const gone = desktop({ hasBus: false });
  (await gone.show()).remove();
  expect(gone.watches.size).toBe(0);
});

test('changes are announced once, and only changes', async () => {
  const { show, emitted, call, chosen } = desktop();
  const icon = await show();
  emitted.length = 0;
  icon.update?.({ ...view, icon: 'attention', tip: 'Hostler: a client asks for your permission' });
  expect(emitted.map(({ member }) => member)).toEqual(['NewIcon', 'NewAttentionIcon', 'NewStatus', 'NewToolTip']);
  emitted.length = 0;
  icon.update?.({ ...view, icon: 'attention', tip: 'Hostler: a client asks for your permission' });
  expect(emitted).toEqual([]);
  expect(await call('/StatusNotifierItem', 'Activate', 'ii', [0, 0])).toBe('done');
  expect(chosen).toEqual(['open']);
});

test('a flood of calls removes the icon for a minute, and then it is back', async () => {
  const { show, call, open, clock, notes, registered, connections } = desktop();
  const icon = await show();
  for (let count = 0; count < 1000; count++) expect(await call('/MenuBar', 'Ping')).toBe('done');
  expect(await call('/MenuBar', 'Ping')).toBe('LimitsExceeded');
  clock.advance(0);
  expect([open().length, icon.isShown]).toEqual([0, false]);
  expect(notes).toHaveLength(1);
  clock.advance(awayMs - 1);
  await settle();
  expect(connections).toHaveLength(1);
  clock.advance(1);
  await settle();
  expect([open().length, icon.isShown]).toEqual([1, true]);
  expect(registered).toEqual([':1.1', ':1.2']);
  icon.remove();
  clock.advance(awayMs * 2);
  await settle();
  expect(open()).toEqual([]);
});
