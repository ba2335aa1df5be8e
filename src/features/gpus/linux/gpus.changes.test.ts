import { expect, onTestFinished, test } from 'bun:test';
import { fakeContext } from '../../../../test/doubles/fake-host.ts';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { machineHost, readOnce } from '../../../../test/harness/machines.ts';
import { setPart } from '../../../core/part.ts';
import { gpusLinux } from '../gpus.linux.ts';
import type { NvmlReading } from '../nvidia/nvml.library.ts';
import { type Nvml, nvml as nvmlPart } from '../nvidia/nvml.ts';

const devices = '/sys/bus/pci/devices';
const card = `${devices}/0000:01:00.0`;
const nvidiaCard = {
  [`${card}/class`]: '0x030000\n',
  [`${card}/vendor`]: '0x10de\n',
  [`${card}/device`]: '0x2684\n',
  [`${card}/driver`]: '-> ../../../bus/pci/drivers/nvidia',
  '/dev/nvidiactl': '',
};

const healthy: NvmlReading = { values: { coreLoad: 50, temperature: 60 }, codes: {} };
const lost: NvmlReading = { values: {}, codes: { coreLoad: 15, temperature: 15 } };

/** A driver that the test can break and restore. */
function driver({ staysAwake = false } = {}) {
  const state = { reading: healthy, present: true, error: null as string | null, opened: 0, closed: 0 };
  const nvml: Nvml = {
    async open() {
      if (state.error !== null) throw new Error(state.error);
      state.opened += 1;
      const gpu = { pci: '0000:01:00.0', uuid: 'GPU-1', name: 'NVIDIA Card', staysAwake, read: () => state.reading };
      return {
        devices: state.present ? [gpu] : [],
        close() {
          state.closed += 1;
        },
      };
    },
  };
  return { state, nvml };
}

function machine(contents: Record<string, string>, asked?: Nvml) {
  const files = machineFiles(contents);
  const host = machineHost('/no/machine', { files });
  if (asked !== undefined) setPart(host, nvmlPart, asked);
  const source = gpusLinux(host, fakeContext());
  onTestFinished(() => source.close?.());
  const { clock } = host;
  const read = async () => {
    const { payload, reasons } = await readOnce(source, clock);
    return { gpus: payload ?? [], reasons: reasons.map(({ reason }) => reason) };
  };
  return { files, read, clock };
}

test('a GPU that falls off the bus is listed without values and with a reason, and comes back after a reset', async () => {
  const { state, nvml } = driver();
  const { read, clock } = machine(nvidiaCard, nvml);
  expect((await read()).gpus[0]).toMatchObject({ name: 'NVIDIA Card', core_load: 50, temperature: 60 });
  state.reading = lost;
  const { gpus, reasons } = await read();
  expect(gpus[0]).toMatchObject({ id: '0000:01:00.0', name: 'NVIDIA Card', core_load: null, temperature: null });
  expect(reasons).toContain('NVIDIA Card: The GPU has fallen off the bus; restart the machine');
  // From now on the driver does not list it.
  state.present = false;
  expect((await read()).gpus[0]).toMatchObject({ name: 'NVIDIA Card', core_load: null });
  state.present = true;
  state.reading = healthy;
  clock.advance(10_000);
  await read();
  expect((await read()).gpus[0]).toMatchObject({ core_load: 50 });
  expect(state.opened).toBe(state.closed + 1);
});

test('a driver that is unloaded gives nulls and says so, and works again once it is loaded', async () => {
  const { state, nvml } = driver();
  const { read } = machine(nvidiaCard, nvml);
  await read();
  state.reading = { values: {}, codes: { coreLoad: 9, temperature: 9 } };
  await read();
  state.error = 'The NVIDIA driver is not loaded';
  const { gpus, reasons } = await read();
  expect(gpus).toHaveLength(1);
  expect(gpus[0]).toMatchObject({ name: 'NVIDIA Card', core_load: null, memory_total: null, temperature: null });
  expect(reasons).toContain('NVIDIA Card: The NVIDIA driver is not loaded');
  state.error = null;
  state.reading = healthy;
  expect((await read()).gpus[0]).toMatchObject({ core_load: 50 });
});

test('the driver of a GPU that stays awake is kept open between the samples of the history', async () => {
  const { state, nvml } = driver({ staysAwake: true });
  const { read, clock } = machine(nvidiaCard, nvml);
  await read();
  clock.advance(60_000);
  await read();
  expect(state).toMatchObject({ opened: 1, closed: 0 });
});

test('the driver is closed without reads, so that the GPU can sleep', async () => {
  const { state, nvml } = driver();
  const { read, clock } = machine(nvidiaCard, nvml);
  await read();
  clock.advance(9000);
  await read();
  clock.advance(9000);
  expect(state).toMatchObject({ opened: 1, closed: 0 });
  clock.advance(1000);
  expect(state).toMatchObject({ opened: 1, closed: 1 });
  expect((await read()).gpus[0]).toMatchObject({ core_load: 50 });
  expect(state.opened).toBe(2);
});

test('a removed card stays listed without values, and an added one is found', async () => {
  const contents = {
    [`${card}/class`]: '0x030000\n',
    [`${card}/vendor`]: '0x1002\n',
    [`${card}/device`]: '0x73bf\n',
    [`${card}/gpu_busy_percent`]: '7\n',
    [`${card}/driver`]: '-> ../../../bus/pci/drivers/amdgpu',
  };
  const { files, read, clock } = machine(contents);
  expect((await read()).gpus).toMatchObject([{ id: '0000:01:00.0', core_load: 7 }]);
  files.remove(card);
  clock.advance(10_000);
  const pulled = await read();
  expect(pulled.gpus).toMatchObject([{ id: '0000:01:00.0', name: 'PCI device 1002:73bf', core_load: null }]);
  expect(pulled.reasons.some((reason) => reason.includes('It has disappeared'))).toBe(true);
  for (const [file, text] of Object.entries(contents)) files.write(file, text);
  files.write(`${devices}/0000:09:00.0/class`, '0x030000\n');
  files.write(`${devices}/0000:09:00.0/vendor`, '0x1a03\n');
  files.write(`${devices}/0000:09:00.0/device`, '0x2000\n');
  clock.advance(10_000);
  expect((await read()).gpus).toMatchObject([{ core_load: 7 }, { id: '0000:09:00.0', core_load: null }]);
});

test('load and power are taken over the time between two reads', async () => {
  const node = '/sys/class/drm/card0';
  const info = (nanoseconds: number) => `drm-client-id:\t1\ndrm-engine-render:\t${nanoseconds} ns\n`;
  const { files, read, clock } = machine({
    [`${card}/class`]: '0x030000\n',
    [`${card}/vendor`]: '0x8086\n',
    [`${card}/device`]: '0x56a0\n',
    [`${card}/driver`]: '-> ../../../bus/pci/drivers/i915',
    [`${card}/hwmon/hwmon1/name`]: 'i915\n',
    [`${card}/hwmon/hwmon1/energy1_input`]: '1000000\n',
    [node]: '-> ../../devices/pci0000:00/0000:01:00.0/drm/card0',
    '/proc/7/fd/3': '-> /dev/dri/card0',
    '/proc/7/fdinfo/3': info(0),
  });
  expect((await read()).gpus).toMatchObject([{ core_load: 0, power_usage: 0 }]);
  files.write('/proc/7/fdinfo/3', info(5e8));
  files.write(`${card}/hwmon/hwmon1/energy1_input`, '41000000\n');
  clock.advance(2000);
  expect((await read()).gpus).toMatchObject([{ core_load: 25, power_usage: 20 }]);
});

test('older kernels list the levels of the clocks', async () => {
  const { read } = machine({
    [`${card}/class`]: '0x030000\n',
    [`${card}/vendor`]: '0x1002\n',
    [`${card}/device`]: '0x67df\n',
    [`${card}/driver`]: '-> ../../../bus/pci/drivers/amdgpu',
    [`${card}/pp_dpm_sclk`]: '0: 300Mhz\n1: 1366Mhz *\n',
    [`${card}/pp_dpm_mclk`]: '0: 300Mhz *\n1: 2000Mhz\n',
  });
  expect((await read()).gpus).toMatchObject([{ core_clock: 1366, memory_clock: 300 }]);
});

test('a sleeping GPU is not read', async () => {
  const { files, read } = machine({
    [`${card}/class`]: '0x030000\n',
    [`${card}/vendor`]: '0x1002\n',
    [`${card}/device`]: '0x73bf\n',
    [`${card}/driver`]: '-> ../../../bus/pci/drivers/amdgpu',
    [`${card}/power/runtime_status`]: 'active\n',
    [`${card}/gpu_busy_percent`]: '9\n',
    [`${card}/mem_info_vram_total`]: '8573157376\n',
  });
  expect((await read()).gpus).toMatchObject([{ core_load: 9, memory_total: 8176 }]);
  files.write(`${card}/power/runtime_status`, 'suspended\n');
  const { gpus, reasons } = await read();
  expect(gpus).toMatchObject([{ core_load: 0, memory_total: 8176, temperature: null }]);
  expect(reasons.some((reason) => reason.includes('querying it would wake it up'))).toBe(true);
});

test('the energy counter of a sleeping GPU is not read while another one is awake', async () => {
  const intel = (address: string, node: string, status: string) => ({
    [`${devices}/${address}/class`]: '0x030000\n',
    [`${devices}/${address}/vendor`]: '0x8086\n',
    [`${devices}/${address}/device`]: '0x56a0\n',
    [`${devices}/${address}/driver`]: '-> ../../../bus/pci/drivers/i915',
    [`${devices}/${address}/power/runtime_status`]: `${status}\n`,
    [`${devices}/${address}/hwmon/hwmon1/name`]: 'i915\n',
    [`${devices}/${address}/hwmon/hwmon1/energy1_input`]: '100\n',
    [`/sys/class/drm/${node}`]: `-> ../../devices/pci0000:00/${address}/drm/${node}`,
  });
  const { files, read } = machine({
    ...intel('0000:00:02.0', 'card0', 'active'),
    ...intel('0000:03:00.0', 'card1', 'suspended'),
  });
  const asked: string[] = [];
  const { keep } = files;
  files.keep = (file) => {
    const opened = keep(file);
    return {
      ...opened,
      number() {
        asked.push(file);
        return opened.number();
      },
    };
  };
  expect((await read()).gpus).toMatchObject([{ power_usage: 0 }, { power_usage: null, core_load: 0 }]);
  expect(asked.filter((file) => file.includes('0000:03:00.0'))).toEqual([]);
});
