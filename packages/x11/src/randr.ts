import type { X11, X11Extension } from './connection.ts';
import { eventKind, eventMask, events, internAtoms, requests, structureNotify, x11Words } from './protocol.ts';

/** State of RandR. https://gitlab.freedesktop.org/xorg/proto/xorgproto/-/blob/master/randrproto.txt */
export interface Randr {
  monitors(): Promise<RandrMonitor[]>;
  /** Calls back on every change of outputs, modes and positions, and on the given other events. */
  follow(changed: () => void, isChange?: (event: Buffer) => boolean): void;
}

/** A monitor as the user sees it: mostly one output. */
export interface RandrMonitor {
  name: string;
  isPrimary: boolean;
  x: number;
  y: number;
  width: number;
  height: number;
  mmWidth: number;
  mmHeight: number;
  mode: RandrMode | null;
  edid: Uint8Array | null;
}

export interface RandrMode {
  /** Hz. */
  dotClock: number;
  /** Hz; 0: the server does not know. */
  refresh: number;
}

const queryVersion = 0;
const selectInput = 4;
const getOutputInfo = 9;
const getOutputProperty = 15;
const getCrtcInfo = 20;
const getScreenResourcesCurrent = 25;
const getOutputPrimary = 31;
const getMonitors = 42;
const screenCrtcAndOutput = 1 | 2 | 4;
const mostMonitors = 64;

/** null: the server has no RandR, or one from before 2009. */
export async function openRandr(x11: X11): Promise<Randr | null> {
  const extension = await x11.extension('RANDR');
  if (extension === null) return null;
  const version = await x11.ask(extension.opcode, queryVersion, x11Words(1, 5));
  const [major, minor] = [version.readUInt32LE(8), version.readUInt32LE(12)];
  if (major < 1 || (major === 1 && minor < 3)) return null;
  const hasMonitors = major > 1 || minor >= 5;
  return {
    monitors: () => readMonitors(x11, extension, hasMonitors),
    follow(changed, isChange = () => false) {
      x11.onEvent((event) => {
        const kind = eventKind(event);
        const isOurs =
          kind === events.configureNotify || kind === extension.firstEvent || kind === extension.firstEvent + 1;
        if (isOurs || isChange(event)) changed();
      });
      // User-defined monitors are reported by an event of the root window only.
      x11.send(requests.changeWindowAttributes, 0, x11Words(x11.root, eventMask, structureNotify));
      x11.send(extension.opcode, selectInput, x11Words(x11.root, screenCrtcAndOutput));
    },
  };
}

interface Output {
  id: number;
  name: string;
  crtc: Crtc | null;
  mmWidth: number;
  mmHeight: number;
  edid: Uint8Array | null;
}

interface Crtc {
  x: number;
  y: number;
  width: number;
  height: number;
  mode: RandrMode | null;
}

async function readMonitors(x11: X11, { opcode }: X11Extension, hasMonitors: boolean): Promise<RandrMonitor[]> {
  // The current resources: requesting new ones makes some drivers probe every cable, which takes a second and flickers.
  const resources = await x11.ask(opcode, getScreenResourcesCurrent, x11Words(x11.root));
  const time = resources.readUInt32LE(12);
  const crtcCount = resources.readUInt16LE(16);
  const outputsAt = 32 + 4 * crtcCount;
  const outputIds = list(resources, outputsAt, resources.readUInt16LE(18));
  const modes = parseModes(resources, outputsAt + 4 * outputIds.length, resources.readUInt16LE(20));
  const edidAtom = (await internAtoms(x11, ['EDID'], true)).get('EDID') ?? 0;
  const outputs = await Promise.all(outputIds.map((id) => readOutput(x11, opcode, { id, time, modes, edidAtom })));
  const active = new Map(outputs.flatMap((output) => (output === null ? [] : [[output.id, output]])));
  return hasMonitors ? await byMonitors(x11, opcode, active) : await byOutputs(x11, opcode, active);
}

async function byMonitors(x11: X11, opcode: number, outputs: Map<number, Output>): Promise<RandrMonitor[]> {
  const reply = await x11.ask(opcode, getMonitors, Buffer.concat([x11Words(x11.root), Buffer.from([1, 0, 0, 0])]));
  const count = Math.min(mostMonitors, reply.readUInt32LE(12));
  const monitors: Promise<RandrMonitor>[] = [];
  let at = 32;
  for (let index = 0; index < count; index += 1) {
    const entry = reply.subarray(at);
    const members = list(entry, 24, entry.readUInt16LE(6));
    at += 24 + 4 * members.length;
    monitors.push(toMonitor(x11, entry, outputs.get(members[0] ?? 0)));
  }
  return await Promise.all(monitors);
}

async function toMonitor(x11: X11, entry: Buffer, output: Output | undefined): Promise<RandrMonitor> {
  const name = await x11.ask(requests.getAtomName, 0, x11Words(entry.readUInt32LE(0)));
  return {
    name: name.toString('utf8', 32, 32 + name.readUInt16LE(8)),
    isPrimary: entry[4] === 1,
    x: entry.readInt16LE(8),
    y: entry.readInt16LE(10),
    width: entry.readUInt16LE(12),
    height: entry.readUInt16LE(14),
    // The server makes sizes up for outputs that have none.
    mmWidth: output === undefined ? entry.readUInt32LE(16) : output.mmWidth || entry.readUInt32LE(16),
    mmHeight: output === undefined ? entry.readUInt32LE(20) : output.mmHeight || entry.readUInt32LE(20),
    mode: output?.crtc?.mode ?? null,
    edid: output?.edid ?? null,
  };
}

async function byOutputs(x11: X11, opcode: number, outputs: Map<number, Output>): Promise<RandrMonitor[]> {
  const primary = (await x11.ask(opcode, getOutputPrimary, x11Words(x11.root))).readUInt32LE(8);
  return [...outputs.values()].flatMap(({ id, name, crtc, mmWidth, mmHeight, edid }) =>
    crtc === null ? [] : [{ ...crtc, name, isPrimary: id === primary, mmWidth, mmHeight, edid }],
  );
}

interface Wanted {
  id: number;
  time: number;
  modes: Map<number, RandrMode>;
  edidAtom: number;
}

/** null: nothing is shown there. */
async function readOutput(x11: X11, opcode: number, { id, time, modes, edidAtom }: Wanted): Promise<Output | null> {
  const info = await x11.ask(opcode, getOutputInfo, x11Words(id, time));
  const crtcId = info.readUInt32LE(12);
  if (info[1] !== 0 || crtcId === 0) return null;
  const counts = [26, 28, 32].map((at) => info.readUInt16LE(at));
  const nameAt = 36 + 4 * counts.reduce((sum, count) => sum + count, 0);
  const [crtc, edid] = await Promise.all([
    readCrtc(x11, opcode, x11Words(crtcId, time), modes),
    readEdid(x11, opcode, id, edidAtom),
  ]);
  return {
    id,
    name: info.toString('utf8', nameAt, nameAt + info.readUInt16LE(34)),
    crtc,
    mmWidth: info.readUInt32LE(16),
    mmHeight: info.readUInt32LE(20),
    edid,
  };
}

async function readCrtc(
  x11: X11,
  opcode: number,
  which: Uint8Array,
  modes: Map<number, RandrMode>,
): Promise<Crtc | null> {
  const crtc = await x11.ask(opcode, getCrtcInfo, which);
  if (crtc[1] !== 0) return null;
  return {
    x: crtc.readInt16LE(12),
    y: crtc.readInt16LE(14),
    width: crtc.readUInt16LE(16),
    height: crtc.readUInt16LE(18),
    mode: modes.get(crtc.readUInt32LE(20)) ?? null,
  };
}

async function readEdid(x11: X11, opcode: number, output: number, atom: number): Promise<Uint8Array | null> {
  if (atom === 0) return null;
  const anyType = 0;
  const firstWords = [0, 128] as const;
  const reply = await x11.ask(opcode, getOutputProperty, x11Words(output, atom, anyType, ...firstWords, 0));
  const bytes = reply[1] === 8 ? reply.readUInt32LE(16) : 0;
  return bytes === 0 ? null : new Uint8Array(reply.subarray(32, 32 + bytes));
}

const interlaced = 1 << 4;
const doubleScan = 1 << 5;

export function parseModes(resources: Buffer, start: number, count: number): Map<number, RandrMode> {
  const modes = new Map<number, RandrMode>();
  for (let at = start; at < start + 32 * count; at += 32) {
    const dotClock = resources.readUInt32LE(at + 8);
    const flags = resources.readUInt32LE(at + 28);
    const lines = resources.readUInt16LE(at + 24) * (flags & doubleScan ? 2 : 1) * (flags & interlaced ? 0.5 : 1);
    const dots = resources.readUInt16LE(at + 16) * lines;
    modes.set(resources.readUInt32LE(at), { dotClock, refresh: dots === 0 ? 0 : dotClock / dots });
  }
  return modes;
}

function list(bytes: Buffer, start: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => bytes.readUInt32LE(start + 4 * index));
}
