import { type AlertRule, alertsSettingsSchema } from '../../src/alerts/alerts.settings.schema.ts';
import { startEngine } from '../../src/alerts/engine.ts';
import type { AlertMessage, AlertOutcome } from '../../src/alerts/notification.ts';
import type { AlertsState } from '../../src/core/alerts.schema.ts';
import type { ModuleDefinition } from '../../src/core/module.ts';
import type { Reading } from '../../src/core/reading.ts';
import type { HistoryFollower } from '../../src/core/readings/history.ts';
import type { ModuleProblems } from '../../src/core/readings/problems.ts';
import { defaultSettings } from '../../src/features/index.ts';
import { createSharedTimers } from '../../src/lib/shared-timers.ts';
import { fakeClock, fakeContext, fakeHost, memoryStorage } from '../doubles/fake-host.ts';

export const turn = () => new Promise((resolve) => setImmediate(resolve));
/** Noon in the local time zone. */
export const noon = new Date(2026, 0, 15, 12, 0).getTime();

export type GivenRule = Partial<AlertRule> & Pick<AlertRule, 'when'>;

const services: ModuleProblems<string[]> = {
  announced: true,
  problems: {
    service_failed: {
      description: 'A unit failed',
      find: (failed) => failed.map((name) => ({ subject: name, text: `${name} failed` })),
    },
  },
};
const disks: ModuleProblems<number> = {
  problems: {
    disk_full: {
      description: 'Full',
      percent: 90,
      find: (used, percent) => (used >= percent ? [{ subject: '/', text: `/ is ${used} % full`, value: used }] : []),
    },
  },
};

/** An engine with fake modules, history and receivers. */
export function alertMachine({ clock = fakeClock(noon), storage = memoryStorage() } = {}) {
  const followers = new Set<HistoryFollower>();
  const listening = new Map<string, (reading: Reading) => void>();
  const payloads = new Map<string, unknown>([
    ['services', []],
    ['disks', 10],
  ]);
  const said: string[] = [];
  const noted: string[] = [];
  const sent: (AlertMessage & { way: string })[] = [];
  const answers: AlertOutcome[] = [];
  const grouped: string[][] = [];
  let reads = 0;
  let quiet = '';
  let settings = defaultSettings;
  let shown: AlertsState = { active: 0, alerts: [] };
  const module = (name: string, problems?: () => Promise<ModuleProblems<never>>) =>
    ({ name, problems }) as unknown as ModuleDefinition;
  const { log } = fakeContext({ log: { ...fakeContext().log, warn: (text) => void said.push(text) } });
  const reading = (payload: unknown) => ({ payload, reasons: [] }) as unknown as Reading;
  const engine = startEngine({
    host: fakeHost({
      clock,
      storage,
      paths: { config: '/c', state: '/s', runtime: null },
      environment: { hostname: () => 'box' },
    }),
    log,
    modules: [
      module('services', async () => services as never),
      module('disks', async () => disks as never),
      module('containers'),
    ],
    store: {
      get(name) {
        reads += 1;
        return reading(payloads.get(name));
      },
      listen(name, listener) {
        listening.set(name, listener);
        return () => void listening.delete(name);
      },
    },
    timers: createSharedTimers(clock),
    history: {
      known: async () => ({
        series: new Map([['cpu', { unit: 'percent', description: '', module: 'cpu' }]]),
        kinds: new Map([
          ['session', { module: 'system', description: '' }],
          ['container_died', { module: 'containers', description: '' }],
        ]),
      }),
      follow(follower) {
        followers.add(follower);
        return () => void followers.delete(follower);
      },
      note: (kind, text) => void noted.push(`${kind}: ${text}`),
    },
    async send(way, message, _signal, others = []) {
      sent.push({ ...message, way });
      grouped.push([message, ...others].map(({ alert, type }) => `${alert.id} ${type}`));
      return answers.shift() ?? { ok: true };
    },
    show(state) {
      shown = state;
    },
    settings: () => settings,
    random: () => 1,
  });
  return {
    engine,
    clock,
    storage,
    said,
    noted,
    sent,
    answers,
    /** The messages of each call. */
    grouped,
    beQuiet(time: string) {
      quiet = time;
    },
    followers,
    listening,
    payloads,
    reads: () => reads,
    async set(...rules: GivenRule[]) {
      const alerts = alertsSettingsSchema.parse({
        webhooks: [{ id: 'ops', url: 'https://hooks.example/x' }],
        targets: [{ id: 'phone' }],
        quiet,
        rules: rules.map((rule, index) => ({ id: `rule-${index + 1}`, notify: ['ops'], ...rule })),
      });
      settings = { ...defaultSettings, alerts };
      await engine.follow();
      await turn();
    },
    async sample(value: number | null, times = 1) {
      for (let time = 0; time < times; time += 1) {
        clock.advance(15_000);
        for (const { sampled } of followers) sampled(new Map([['cpu', value]]));
        await turn();
      }
    },
    async pass(ms: number) {
      for (let left = ms; left > 0; left -= 10_000) {
        clock.advance(Math.min(left, 10_000));
        await turn();
      }
    },
    async push(name: string, payload: unknown) {
      payloads.set(name, payload);
      listening.get(name)?.(reading(payload));
      await turn();
    },
    async happen(kind: string, text: string) {
      for (const { kinds, happened } of followers) if (kinds.includes(kind)) happened({ at: clock.now(), kind, text });
      await turn();
    },
    shown: () => shown,
    state: (id = 'rule-1') => shown.alerts.find((alert) => alert.id === id)?.state,
    notified: () => sent.map(({ way, type, alert }) => `${way} ${type} ${alert.id}`),
  };
}

export const hotRule: GivenRule = { when: { series: 'cpu', above: 90, for: 60 } };
