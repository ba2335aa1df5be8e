import type { ModulePayloads } from '@hostler/client/events.ts';
import { fromModule, type GlancesPlugin } from './plugin.ts';
import { memoryPercent } from './plugins.processor.ts';

/** The version of Glances whose fields /api/4 has: clients read features from it. */
const glancesVersion = '4.5.5';

const system = fromModule('system', {}, ({ now }) => {
  const { hostname, platform, platform_version, kernel_version } = now.payload;
  const isWindows = /^(?:microsoft )?windows/i.test(platform ?? '');
  const distribution = [platform, platform_version].filter(Boolean).join(' ');
  const [os_name, os_version] = isWindows ? ['Windows', platform_version] : ['Linux', kernel_version];
  return {
    os_name,
    hostname,
    // Every system that this service runs on.
    platform: '64bit',
    ...(isWindows ? {} : { linux_distro: distribution }),
    os_version,
    hr_name: isWindows ? `${distribution} 64bit` : `${distribution} 64bit / Linux ${os_version ?? ''}`.trim(),
  };
});

/** As Python writes a time span: 2 days, 3:04:05. */
const uptime = fromModule('system', [], ({ now }) => {
  const all = Math.floor(now.payload.uptime ?? 0);
  const days = Math.floor(all / 86_400);
  const two = (value: number) => String(value % 60).padStart(2, '0');
  const clock = `${Math.floor((all % 86_400) / 3600)}:${two(Math.floor(all / 60))}:${two(all)}`;
  return days === 0 ? clock : `${days} ${days === 1 ? 'day' : 'days'}, ${clock}`;
});

const sensors: GlancesPlugin = {
  needs: ['sensors', 'battery'],
  empty: [],
  make({ sensors: pair, battery }) {
    const list = [
      ...(pair?.now.payload.temperatures ?? []).map(({ key, temperature, high, critical }) => ({
        label: labelOf(key),
        type: 'temperature_core',
        value: temperature,
        unit: 'C',
        warning: high || null,
        critical: critical || null,
        key: 'label',
      })),
      ...(pair?.now.payload.fans ?? []).flatMap(({ key, label, speed_rpm }) =>
        speed_rpm === null ? [] : [sensor(label || key, 'fan_speed', speed_rpm, 'R')],
      ),
      ...batteriesOf(battery?.now.payload),
    ];
    return withUniqueLabels(list);
  },
};

const gpu = fromModule('gpus', [], ({ now }, version) =>
  now.payload.map(({ id, name, core_load, memory_used, memory_total, temperature, fan_speed }, index) => ({
    key: 'gpu_id',
    gpu_id: version === 3 ? index : withoutColons(id),
    name,
    mem: memoryPercent(memory_used, memory_total),
    proc: core_load,
    temperature,
    fan_speed,
  })),
);

/** The rules of the settings whose condition is met now; Glances has rules of its own. */
const alert = fromModule('alerts', [], ({ now }, version) =>
  now.payload.alerts
    .filter(({ state }) => state === 'active')
    .map(({ since, series, event, value, text }) => {
      const level = 'WARNING';
      const type = (series ?? event ?? '').toUpperCase();
      if (version === 3) return [since, -1, level, type, value, value, value, value, 1, [], text, ''];
      const measured = { max: value, avg: value, min: value, sum: value, count: 1 };
      return {
        begin: since,
        end: -1,
        state: level,
        type,
        ...measured,
        top: [],
        desc: text,
        sort: '',
        global_msg: text,
      };
    }),
);

const now: GlancesPlugin = {
  needs: [],
  empty: {},
  make(_, version, nowMs) {
    const date = new Date(nowMs);
    const part = (value: number) => String(value).padStart(2, '0');
    const day = `${date.getFullYear()}-${part(date.getMonth() + 1)}-${part(date.getDate())}`;
    const time = `${part(date.getHours())}:${part(date.getMinutes())}:${part(date.getSeconds())}`;
    const offset = -date.getTimezoneOffset();
    const ahead = `${offset < 0 ? '-' : '+'}${part(Math.floor(Math.abs(offset) / 60))}:${part(Math.abs(offset) % 60)}`;
    const zone = new Intl.DateTimeFormat('en', { timeZoneName: 'short' }).formatToParts(date);
    const custom = `${day} ${time} ${zone.find(({ type }) => type === 'timeZoneName')?.value ?? ''}`.trim();
    return version === 3 ? custom : { custom, iso: `${day}T${time}${ahead}` };
  },
};

const version: GlancesPlugin = { needs: [], empty: {}, make: () => glancesVersion };

export const machinePlugins: Record<string, GlancesPlugin> = {
  sensors,
  gpu,
  system,
  uptime,
  now,
  alert,
  version,
};

const sensor = (label: string, type: string, value: number, unit: string) => ({
  label,
  type,
  value,
  unit,
  warning: null,
  critical: null,
  key: 'label',
});

function batteriesOf(battery: ModulePayloads['battery'] | undefined) {
  if (battery === undefined) return [];
  const own = battery.percentage === null ? [] : [sensor('Battery', 'battery', battery.percentage, '%')];
  const others = battery.devices.flatMap(({ name, percentage }) =>
    percentage === null ? [] : [sensor(name, 'battery', percentage, '%')],
  );
  return [...own, ...others];
}

/** The labels by which clients find the processor; the key of other sensors is unique and lasts. */
function labelOf(key: string): string {
  const [, found, number] =
    /^(?:coretemp|k10temp|zenpower)_.*_(package_id|core|tctl|tdie|tccd)_?(\d*)$/.exec(key) ?? [];
  const known: Record<string, string> = {
    package_id: 'Package id',
    core: 'Core',
    tctl: 'Tctl',
    tdie: 'Tdie',
    tccd: 'Tccd',
  };
  if (found === undefined) return key;
  return found === 'package_id' || found === 'core' ? `${known[found]} ${number}` : `${known[found]}${number}`;
}

/** Homepage's settings name a sensor or a GPU up to the first colon. */
const withoutColons = (text: string) => text.replaceAll(':', '-');

/** Clients use the label as the name of the sensor. */
function withUniqueLabels<T extends { label: string }>(list: readonly T[]): T[] {
  const used = new Set<string>();
  return list.map((entry) => {
    const wanted = withoutColons(entry.label);
    let label = wanted;
    for (let number = 2; used.has(label); number += 1) label = `${wanted} ${number}`;
    used.add(label);
    return { ...entry, label };
  });
}
