import { expect, onTestFinished, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import type { CreateSource, ModuleDefinition, Source } from '../../src/core/module.ts';
import { setPart } from '../../src/core/part.ts';
import type { Reason, Reasons } from '../../src/core/reasons.ts';
import { monitors } from '../../src/features/displays/linux/monitors.part.ts';
import { createMonitors } from '../../src/features/displays/linux/monitors.ts';
import { createFiles } from '../../src/host/linux/files.ts';
import type { LinuxHost } from '../../src/host/linux/linux-host.ts';
import { recordingFile } from '../../src/host/linux/recording/recording.ts';
import { openReplay } from '../../src/host/linux/recording/replay.ts';
import type { WindowsHost } from '../../src/host/windows/windows-host.ts';
import { type FakeClock, fakeClock, fakeContext, fakeHost, memoryStorage, noBus } from '../doubles/fake-host.ts';
import { recordedMachine } from '../doubles/recorded-native.ts';

/**
 * One test for each directory in `fixtures/<platform>/`, which is a machine: its proc, sys, etc …, a `host.json` for short
 * files and what is not a plain file, the `expected.json` payload, and optionally a `reasons.json` with the fields that have one.
 * Files in `later/` replace those files as soon as the source waits.
 */
export function testEachMachine<T>(
  platform: 'linux',
  directory: string,
  definition: ModuleDefinition<T>,
  createSource: CreateSource<T, LinuxHost>,
  given?: (machine: string) => Partial<LinuxHost>,
  /** Sets parts of the feature; `root`: the directory of the machine. */
  prepare?: (host: LinuxHost, machine: string, root: string) => void,
): void;
/** A Windows machine is a recording of its libraries: `calls.json`, made by scripts/record-windows.ts. */
export function testEachMachine<T>(
  platform: 'windows',
  directory: string,
  definition: ModuleDefinition<T>,
  createSource: CreateSource<T, WindowsHost>,
): void;
export function testEachMachine<T>(
  platform: 'linux' | 'windows',
  directory: string,
  definition: ModuleDefinition<T>,
  createSource: CreateSource<T, never>,
  given: (machine: string) => Partial<LinuxHost> = () => ({}),
  prepare: (host: LinuxHost, machine: string, root: string) => void = () => {},
): void {
  const fixtures = path.join(directory, 'fixtures', platform);
  const machines = fs.readdirSync(fixtures);
  if (machines.length === 0) throw new Error(`${fixtures} holds no machine`);
  for (const machine of machines.sort()) {
    test(`${definition.name} of the machine ${machine} is as expected`, async () => {
      const root = path.join(fixtures, machine);
      const built = buildMachine(root);
      onTestFinished(() => fs.rmSync(built, { recursive: true }));
      const host = machineHost(built, platform === 'linux' ? given(machine) : recordedMachine(built));
      prepare(host, machine, built);
      // The overloads hold that it is the machine of its own platform.
      const source = createSource(host as never, fakeContext());
      const { payload, reasons } = await readOnce(source, host.clock, () => goOn(root, built));
      source.close?.();
      expect<unknown>(payload).toEqual(readJson(root, 'expected.json'));
      if (payload !== null) (await definition.schema()).parse(payload);
      expect(unexplained(payload, reasons)).toEqual([]);
      expect(unknownFields(payload, reasons)).toEqual([]);
      if (fs.existsSync(path.join(root, 'reasons.json')))
        expect<unknown>(fieldsOf(reasons)).toEqual(readJson(root, 'reasons.json'));
    });
  }
}

/**
 * One test for each module of each directory that `hostler record` wrote: replaying it returns the recorded payload.
 */
export function testEachRecording(machines: string, definitions: readonly ModuleDefinition[]): void {
  for (const machine of fs.readdirSync(machines).sort()) {
    const root = path.join(machines, machine);
    if (!fs.existsSync(path.join(root, recordingFile))) continue;
    for (const definition of definitions) {
      const expected = readJson(path.join(root, 'expected'), `${definition.name}.json`);
      // A module that is newer than the recording.
      if (expected === null && !fs.existsSync(path.join(root, 'expected', `${definition.name}.json`))) continue;
      test(`${definition.name} of the recorded machine ${machine} is as expected`, async () => {
        const { payload, reasons } = await replayOnce(root, definition);
        // Fields that are newer than the recording are not in it.
        if (expected === null) expect<unknown>(payload).toBeNull();
        else expect<unknown>(JSON.parse(JSON.stringify(payload))).toMatchObject(Object(expected));
        if (payload !== null) (await definition.schema()).parse(payload);
        expect(unexplained(payload, reasons)).toEqual([]);
        expect(unknownFields(payload, reasons)).toEqual([]);
      });
    }
  }
}

/** The payload of a module for a recording. */
async function replayOnce<T>(
  root: string,
  definition: ModuleDefinition<T>,
): Promise<{ payload: T | null; reasons: Reason[] }> {
  const replay = openReplay(root);
  if (replay === null) throw new Error(`${root} is no recording`);
  const host = machineHost(root, replay.parts);
  const create = await definition.sources.linux?.();
  if (create === undefined) throw new Error(`${definition.name} is not read on Linux`);
  const { hostler: version } = z.looseObject({ hostler: z.string() }).parse(readJson(root, recordingFile));
  const source = create(host, fakeContext({ version, passing: true }));
  const result = await readOnce(source, host.clock, replay.parts.files.goOn);
  source.close?.();
  return result;
}

const hostSchema = z.strictObject({
  hostname: z.string().default('machine'),
  kernel: z.string().default('6.1.0-13-amd64'),
  machine: z.string().default('x86_64'),
  home: z.string().default('/home/tester'),
  uid: z.number().default(1000),
  userName: z.string().default('tester'),
  variables: z.record(z.string(), z.string()).default({}),
  now: z.iso.datetime().default('2026-01-01T00:00:00Z'),
  network: z
    .array(
      z.strictObject({
        interface: z.string(),
        family: z.literal([4, 6]),
        address: z.string(),
        mac: z.string(),
        internal: z.boolean().default(false),
        scopeId: z.number().nullable().default(null),
      }),
    )
    .default([]),
  /** Files of one line, and those whose names not every system can have in a repository, by path. */
  files: z.record(z.string(), z.string()).default({}),
  /** Symbolic links, which may be dangling. */
  links: z.record(z.string(), z.string()).default({}),
});

/** A copy of a machine with everything in place; the caller removes it. */
export function buildMachine(root: string): string {
  const built = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-machine-'));
  fs.cpSync(root, built, { recursive: true });
  const { files, links } = hostSchema.parse(readJson(root, 'host.json') ?? {});
  const place = (file: string) => {
    fs.mkdirSync(path.dirname(path.join(built, file)), { recursive: true });
    return path.join(built, file);
  };
  for (const [file, text] of Object.entries(files)) fs.writeFileSync(place(file), text);
  for (const [file, target] of Object.entries(links)) fs.symlinkSync(target, place(file));
  return built;
}

/** Advances a built machine to its later state. Files keep their identity, as those of the kernel do. */
function goOn(root: string, built: string): void {
  const later = path.join(root, 'later');
  if (!fs.existsSync(later)) return;
  for (const file of fs.readdirSync(later, { recursive: true, encoding: 'utf8' })) {
    if (fs.statSync(path.join(later, file)).isFile())
      fs.writeFileSync(path.join(built, file), fs.readFileSync(path.join(later, file)));
  }
}

/** The machine in a directory, without buses, sockets and network, unless they are given. */
export function machineHost(root: string, given: Partial<LinuxHost> = {}): LinuxHost & { clock: FakeClock } {
  const {
    now,
    network,
    files: _files,
    links: _links,
    ...environment
  } = hostSchema.parse(readJson(root, 'host.json') ?? {});
  const { hostname, ...rest } = environment;
  const { clock: _clock, environment: _environment, ...parts } = given;
  const clock = fakeClock(Date.parse(now));
  const host = fakeHost({
    root,
    storage: memoryStorage(),
    paths: { config: '/config', state: '/state', runtime: null },
    network: { addresses: () => network, searchDomains: () => [] },
    netlink: async () => {
      throw new Error('The kernel knows nothing of this machine');
    },
    dbus: { system: noBus, session: noBus },
    connectLocal: async (file) => {
      throw Object.assign(new Error(`connect ENOENT ${file}`), { code: 'ENOENT' });
    },
    ...parts,
    clock,
    environment: { ...rest, hostname: () => hostname },
  });
  if (parts.isRecording === true) return host;
  // The files say where monitors could be asked, but none answers.
  const startThread = async () => {
    throw new Error('no monitor of a machine in a directory can be asked');
  };
  const files = createFiles({ all: root });
  return setPart(host, monitors, createMonitors({ files, place: (file) => file, clock, startThread }));
}

/** Reads once; when the source waits, its time passes, and the events of that time happen. */
export async function readOnce<T>(
  source: Source<T>,
  clock: FakeClock,
  meanwhile: () => void = () => {},
): Promise<{ payload: T | null; reasons: Reason[] }> {
  const { reasons, collected } = collectReasons();
  let settled = false;
  const reading = Promise.resolve(source.read(reasons)).finally(() => {
    settled = true;
  });
  reading.catch(() => {});
  for (;;) {
    await new Promise((resolve) => setImmediate(resolve));
    if (settled) return { payload: await reading, reasons: collected };
    meanwhile();
    clock.advanceToNext();
  }
}

export function collectReasons(): { reasons: Reasons; collected: Reason[] } {
  const collected: Reason[] = [];
  const add = (mendable: boolean) => (field: string | null, reason: string) => {
    collected.push({ field, reason, mendable });
  };
  return { reasons: { missing: add(true), inherent: add(false) }, collected };
}

/** Paths of the nulls without a reason for themselves or a parent. */
export function unexplained(payload: unknown, reasons: Reason[]): string[] {
  const covered = (leaf: string) =>
    reasons.some(
      ({ field }) => field === null || leaf === field || leaf.startsWith(`${field}.`) || leaf.startsWith(`${field}[]`),
    );
  return [...new Set(nullPaths(payload, ''))].filter((leaf) => !covered(leaf));
}

function nullPaths(value: unknown, at: string): string[] {
  if (value === null) return [at];
  if (Array.isArray(value)) return value.flatMap((entry) => nullPaths(entry, `${at}[]`));
  if (typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, entry]) => nullPaths(entry, at === '' ? key : `${at}.${key}`));
}

/** Reasons for fields that the payload does not have: a typing error. */
function unknownFields(payload: unknown, reasons: Reason[]): string[] {
  const known = new Set(allPaths(payload, ''));
  return reasons.flatMap(({ field }) => (field === null || field.includes('[]') || known.has(field) ? [] : [field]));
}

function allPaths(value: unknown, at: string): string[] {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return [at];
  return [at, ...Object.entries(value).flatMap(([key, entry]) => allPaths(entry, at === '' ? key : `${at}.${key}`))];
}

function fieldsOf(reasons: Reason[]): { missing: string[]; inherent: string[] } {
  const fields = (wanted: boolean) =>
    reasons
      .filter(({ mendable }) => mendable === wanted)
      .map(({ field }) => field ?? '')
      .sort();
  return { missing: fields(true), inherent: fields(false) };
}

function readJson(root: string, name: string): unknown {
  const file = path.join(root, name);
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : null;
}
