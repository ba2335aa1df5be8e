import { describe, expect, spyOn, test } from 'bun:test';
import { createElement, options } from 'preact';
import { scopes } from '../src/features/index.ts';
import { plainText, showForeignText } from '../web/shell/untrusted-text.ts';
import { createRates, type Rates } from '../web/state/rates.ts';
import { vitalsIn } from '../web/state/remote-vitals.ts';
import { allScopes, scopeDescription, scopeLabel } from '../web/state/scopes.ts';
import { byDevice, sensorName, sensorTitle } from '../web/state/sensor-names.ts';
import { bytes, celsius, clockTime, duration, megahertz, percent, rate, relative } from '../web/units.ts';
import { scopesInWords } from '../web/views/tokens/tokens-text.ts';

describe('number formats', () => {
  test.each([
    [bytes(0), '0 B'],
    [bytes(1023), '1023 B'],
    [bytes(1024), '1.00 KiB'],
    [bytes(3.2 * 2 ** 30), '3.20 GiB'],
    [bytes(252 * 2 ** 30), '252 GiB'],
    [rate(999), '999 B/s'],
    [rate(12_345_678), '12.3 MB/s'],
    [percent(99.5), '100 %'],
    [percent(1.25, 1), '1.3 %'],
    [celsius(48.25), '48.3 °C'],
    [celsius(-12.5), '-12.5 °C'],
    [megahertz(800), '800 MHz'],
    [megahertz(3450), '3.45 GHz'],
    [duration(0), '0 s'],
    [duration(59.9), '59 s'],
    [duration(60), '1 min'],
    [duration(3661), '1 h 1 min'],
    [duration(90_000), '1 d 1 h'],
    [clockTime(187), '3:07'],
    [clockTime(3753), '1:02:33'],
    [clockTime(-1), '0:00'],
  ])('%s', (shown, expected) => {
    expect(shown).toBe(expected);
  });

  test.each([bytes, rate, percent, celsius, megahertz, duration])(
    'an unknown value is a dash, never a zero',
    (show) => {
      expect([show(null), show(undefined)]).toEqual(['–', '–']);
    },
  );
});

describe('sensor names for people', () => {
  test.each([
    ['nvme_0000:01:00.0_composite', 'NVMe drive 01:00', 'Whole drive'],
    ['k10temp_0000:00:18.3_tctl', 'Processor', 'Control value'],
    ['k10temp_0000:00:18.3_tccd1', 'Processor', 'Core complex 1'],
    ['coretemp_coretemp.0_package_id_0', 'Processor', 'Package'],
    ['coretemp_coretemp.0_core_12', 'Processor', 'Core 12'],
    ['nct6798_nct6775.656_systin', 'Main board', 'System'],
    ['amdgpu_0000:0a:00.0_junction', 'Graphics 0a:00', 'Hot spot'],
    ['drivetemp_ata1_temp1', 'Drive ata1', 'Temperature'],
    ['acpitz_thermal_zone0_temp1', 'Chipset', 'Temperature'],
    ['thermal_pch_skylake', 'Chipset', 'Controller hub'],
    ['thermal_npu-thermal_2', 'Neural processor', 'Temperature 2'],
    ['thermal_sen1', 'Main board', 'Sensor 1'],
    ['thinkpad_thinkpad_hwmon_cpu', 'Laptop', 'Processor'],
    ['thinkpad_thinkpad_hwmon_fan1', 'Laptop', 'Fan 1'],
    ['nct6798_nct6775.656_peci_agent_0_temp9', 'Main board', 'Processor interface, input 9'],
    ['a_gadget', 'A', 'Gadget'],
    ['unheard', 'Unheard', 'Temperature'],
    ['<b>', '<b>', 'Temperature'],
  ])('%s is in: %s, at: %s', (key, device, channel) => {
    expect(sensorName(key)).toEqual({ device, channel });
  });

  test('two drives are two devices, and the only value of a drive needs no second name', () => {
    const keys = ['nvme_0000:01:00.0_composite', 'nvme_0000:09:00.0_composite', 'nvme_0000:01:00.0_sensor_1'];
    expect(byDevice(keys.map((key) => ({ key }))).map(([device, of]) => [device, of.length])).toEqual([
      ['NVMe drive 01:00', 2],
      ['NVMe drive 09:00', 1],
    ]);
    expect(keys.map(sensorTitle)).toEqual(['NVMe drive 01:00', 'NVMe drive 09:00', 'NVMe drive 01:00, sensor 1']);
  });
});

test.each([
  [0, 'just now'],
  [90, '2 min ago'],
  [3600, '1 h ago'],
  [7300, '2 h ago'],
  [86_400 * 3, '3 d ago'],
  [-600, 'in 10 min'],
])('a time %d seconds ago is: %s', (seconds, words) => {
  expect(relative(1e12 - seconds * 1000, 1e12)).toBe(words);
});

describe('rates from counters', () => {
  const collect = () => {
    const reported: [string, Rates][] = [];
    const rates = createRates(2000);
    return {
      reported,
      add: (...counts: [string, [number, number]][]) => rates(new Map(counts), (...all) => void reported.push(all)),
    };
  };

  test('the first sample has no rate; a repeated sample is not a second one', () => {
    const { reported, add } = collect();
    add(['eth0', [100, 10]]);
    add(['eth0', [100, 10]]);
    expect(reported).toEqual([['eth0', [null, null]]]);
  });

  test('a late sample has the rate of the whole time, one after a minute has none', () => {
    const time = spyOn(performance, 'now').mockReturnValue(1000);
    try {
      const rates = createRates(2000);
      const sample = (bytes: number) => {
        const reported: Rates[] = [];
        rates(new Map([['eth0', [bytes, bytes]]]), (_name, both) => void reported.push(both));
        return reported;
      };
      sample(0);
      time.mockReturnValue(31_000);
      expect(sample(60_000)).toEqual([[2000, 2000]]);
      time.mockReturnValue(92_000);
      expect(sample(90_000)).toEqual([[null, null]]);
    } finally {
      time.mockRestore();
    }
  });

  test('an interface that is new or was reset has no rate, the others do', async () => {
    const { reported, add } = collect();
    add(['eth0', [100, 10]], ['eth1', [500, 500]]);
    await new Promise((resolve) => setTimeout(resolve, 250));
    add(['eth0', [1100, 10]], ['eth1', [3, 3]], ['wlan0', [7, 7]]);
    const [eth0, eth1, wlan0] = reported.slice(2).map(([, rates]) => rates);
    expect(eth0?.[0]).toBeGreaterThan(0);
    expect([eth0?.[1], eth1, wlan0]).toEqual([0, [null, null], [null, null]]);
  });
});

describe('names from other sources', () => {
  test('bidirectional control characters are made visible, letters of any script stay as they are', () => {
    expect(plainText('a\u202eb\u2067c\u2069')).toBe('a\ufffdb\ufffdc\ufffd');
    expect(plainText('שלום \u200f(1) مرحبا')).toBe('שלום \u200f(1) مرحبا');
  });

  test('escaping covers all text and accessible labels, but no address', () => {
    const before = options.vnode;
    showForeignText();
    try {
      const { props } = createElement('a', { title: '\u202et', href: '/\u202e' });
      expect(props).toMatchObject({ title: '\ufffdt', href: '/\u202e' });
      const text = { type: null, props: 'x\u202e' };
      options.vnode?.(text as never);
      expect(text.props).toBe('x\ufffd');
    } finally {
      if (before === undefined) delete options.vnode;
      else options.vnode = before;
    }
  });
});

describe('permissions', () => {
  test('have the texts that their features declare', () => {
    expect(allScopes).toEqual([...scopes.all]);
    for (const scope of scopes.all) {
      expect(scopeDescription(scope)).toBe(scopes.of(scope).description);
      expect(scopeLabel(scope)).toBe(scopes.of(scope).label);
    }
  });

  test('are named in words; one of another version by its name', () => {
    expect(scopesInWords(['read', 'pointer', 'screen', 'clipboard', 'services', 'newer'])).toBe(
      'Read, move the pointer, see the screen, read and set the clipboard, control services and newer',
    );
    expect(scopesInWords(allScopes)).toBe('Everything');
  });
});

test('values of another machine are numbers and a name, whatever it answers', () => {
  const unknown = {
    cpu: { usage: null, temperature: null, load: null },
    memory: { percent: null, used: null, total: null },
    system: { hostname: '', uptime: null },
  };
  for (const odd of ['x', 7, true, [], {}, { virtual: null }, { virtual: 'x' }])
    expect(vitalsIn(odd, odd, odd)).toEqual(unknown);
  const cpu = { usage: '7', temperature: {}, load_average: 'x' };
  expect(vitalsIn(cpu, { virtual: { percent: [] } }, { hostname: {}, uptime: '1' })).toEqual(unknown);
  const memory = { virtual: { percent: 25, used: 1, total: 4 } };
  expect(vitalsIn({ usage: 5, temperature: 40, load_average: 0.5 }, memory, { hostname: 'desk', uptime: 60 })).toEqual({
    cpu: { usage: 5, temperature: 40, load: 0.5 },
    memory: memory.virtual,
    system: { hostname: 'desk', uptime: 60 },
  });
});
