import { expect, test } from 'bun:test';
import type { Reason } from '../../core/reasons.ts';
import type { ModuleState } from '../../core/store.ts';
import { fixable } from './doctor.fixable.ts';

const missing: Reason = { field: 'size', reason: 'install it', mendable: true };
const inherent: Reason = { field: 'type', reason: 'This machine has none', mendable: false };
const state = (name: string, availability: ModuleState['availability'], reasons: Reason[]) =>
  ({ name, availability, reasons }) as ModuleState;
const action = (name: string, available = false) => ({ name, available, reason: available ? null : 'why' });

const features = [
  { module: { name: 'bluetooth' }, actions: [action('bluetooth.connect')] },
  { module: { name: 'media' }, actions: [action('media.control'), action('media.list')] },
  { module: null, actions: [action('power.sleep')] },
];

test('only modules with something to fix are listed, with those reasons alone', () => {
  const states = [
    state('bluetooth', 'available', [inherent]),
    state('media', 'degraded', [inherent, missing]),
    state('memory', 'available', []),
    state('alerts', 'unavailable', [inherent]),
  ];
  expect(fixable(features, states, []).modules).toEqual([state('media', 'degraded', [missing])]);
});

test('actions are listed that do not work, unless their module has nothing to fix', () => {
  const states = [state('bluetooth', 'available', [inherent]), state('media', 'degraded', [missing])];
  const given = [
    action('bluetooth.connect'),
    action('media.control'),
    action('media.list', true),
    action('power.sleep'),
  ];
  expect(fixable(features, states, given).actions.map(({ name }) => name)).toEqual(['media.control', 'power.sleep']);
});
