import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { NvmlReading } from '../../../src/features/gpus/nvidia/nvml.library.ts';
import { createNvml } from '../../../src/features/gpus/nvidia/nvml.ts';
import { openLibrary } from '../../../src/host/ffi.ts';
import { createFakeNvml, type FakeNvml, hasCompiler } from '../doubles/fake-nvml.ts';

const complete: NvmlReading = {
  values: {
    coreClock: 1980,
    memoryClock: 3201,
    coreLoad: 73,
    memoryLoad: 21,
    memoryFree: 150_000_000_000,
    memoryUsed: 100_000_000,
    memoryTotal: 150_754_820_096,
    power: 74_321,
    temperature: 27,
  },
  codes: {},
  processes: [
    { pid: 70, memory: 70_000_000, load: 40 },
    { pid: 71, memory: 71_000_000, load: 0 },
    { pid: 72, memory: null, load: 0 },
  ],
};

describe.skipIf(!hasCompiler())('NVML through a library with the same interface', () => {
  let library: FakeNvml;
  beforeAll(() => {
    library = createFakeNvml();
  });
  afterAll(() => library.remove());

  const open = (state: Parameters<FakeNvml['set']>[0], from = library) => {
    from.set(state);
    return createNvml([from.library]).open();
  };

  test('every GPU has its name, its identifiers and all its values', async () => {
    const session = await open({ count: 2 });
    expect(session.devices.map(({ read: _read, ...device }) => device)).toEqual([
      {
        uuid: 'GPU-00000000-0000-0000-0000-000000000000',
        name: 'NVIDIA Pretence 0',
        pci: '0000:a0:00.0',
        staysAwake: false,
      },
      {
        uuid: 'GPU-00000000-0000-0000-0000-000000000001',
        name: 'NVIDIA Pretence 1',
        pci: '0000:a1:00.0',
        staysAwake: false,
      },
    ]);
    for (const device of session.devices) expect(device.read()).toEqual(complete);
    session.close();
  });

  test('a driver without the newer memory structure is called with the older one', async () => {
    const old = createFakeNvml({ old: true });
    const session = await open({}, old);
    expect(session.devices[0]?.read().values.memoryUsed).toBe(754_820_096);
    expect(session.devices[0]?.read().processes).toBeUndefined();
    session.close();
    old.remove();
  });

  test('a value that a GPU does not report has a code, and a lost GPU has one for every value', async () => {
    const session = await open({ count: 2 });
    library.set({ count: 2, reading: 3 });
    expect(Object.values(session.devices[0]?.read().codes ?? {})).toEqual(Array(9).fill(3));
    expect(session.devices[0]?.read().processes).toBe(3);
    library.set({ count: 2, lost: 1 });
    expect(session.devices[0]?.read()).toEqual(complete);
    const { values, codes } = session.devices[1]?.read() ?? { values: null, codes: {} };
    expect(values).toEqual({});
    expect(Object.values(codes)).toEqual(Array(9).fill(15));
    session.close();
  });

  test('a GPU that is lost from the start does not hide the others', async () => {
    const session = await open({ count: 3, lost: 0 });
    expect(session.devices.map(({ pci }) => pci)).toEqual(['0000:a1:00.0', '0000:a2:00.0']);
    session.close();
  });

  test.each([
    [9, 'not loaded'],
    [18, 'restart the machine'],
    [999, 'NVML error 999'],
  ])('the error of a driver that does not start (%p) says what to do', async (init, sentence) => {
    await expect(open({ init })).rejects.toThrow(sentence);
  });

  test('close leaves no session behind', async () => {
    const counter = openLibrary([library.library], { fakeSessions: { args: [], returns: 'i32' } });
    const before = counter?.symbols.fakeSessions();
    const session = await open({});
    expect(counter?.symbols.fakeSessions()).toBe(Number(before) + 1);
    session.close();
    expect(counter?.symbols.fakeSessions()).toBe(Number(before));
  });
});

test('without the library the error says what to install', async () => {
  await expect(createNvml(['libhostler-has-none.so.1']).open()).rejects.toThrow('install the NVIDIA driver package');
});
