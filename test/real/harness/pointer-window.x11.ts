import { openDisplay } from '../../../src/host/linux/desktop/x11-display.ts';
import { hostIn } from './session-host.ts';

/** A window over the whole screen of an X server that records pointer events. */
export interface PointerWindow {
  /** Such as `move 10 20`, `press 1`, `release 1`, in screen coordinates. */
  events(): string[];
  forget(): void;
  /** Where the pointer is. */
  place(): Promise<[number, number]>;
  close(): Promise<void>;
}

const createWindow = 1;
const mapWindow = 8;
const queryPointer = 38;
const inputOnly = 2;
const overrideRedirectAndEvents = 0x200 | 0x800;
const buttonsAndMotion = 4 | 8 | 64;
const names: Record<number, string> = { 4: 'press', 5: 'release', 6: 'move' };

export async function openPointerWindow(display: string): Promise<PointerWindow> {
  const host = hostIn({ DISPLAY: display });
  const { x11: place } = await host.session.find();
  if (place === null) throw new Error(`there is no X server ${display}`);
  const x11 = await openDisplay(host, place, 60_000);
  const received: string[] = [];
  x11.onEvent((event) => {
    const kind = (event[0] ?? 0) & 0x7f;
    if (kind === 6) received.push(`move ${event.readInt16LE(20)} ${event.readInt16LE(22)}`);
    else if (names[kind] !== undefined) received.push(`${names[kind]} ${event[1]}`);
  });
  const content = Buffer.alloc(36);
  content.writeUInt32LE(x11.firstId, 0);
  content.writeUInt32LE(x11.root, 4);
  content.writeUInt16LE(32_000, 12);
  content.writeUInt16LE(32_000, 14);
  content.writeUInt16LE(inputOnly, 18);
  content.writeUInt32LE(overrideRedirectAndEvents, 24);
  content.writeUInt32LE(1, 28);
  content.writeUInt32LE(buttonsAndMotion, 32);
  x11.send(createWindow, 0, content);
  const window = Buffer.alloc(4);
  window.writeUInt32LE(x11.firstId);
  x11.send(mapWindow, 0, window);
  const root = Buffer.alloc(4);
  root.writeUInt32LE(x11.root);
  const where = async (): Promise<[number, number]> => {
    const reply = await x11.ask(queryPointer, 0, root);
    return [reply.readInt16LE(16), reply.readInt16LE(18)];
  };
  await where();
  return {
    events: () => [...received],
    forget: () => void received.splice(0),
    place: where,
    async close() {
      x11.close();
      await host.close();
    },
  };
}
