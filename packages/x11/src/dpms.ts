import type { X11 } from './connection.ts';
import { events, x11Words } from './protocol.ts';

/** Whether the displays of an X server are lit: all of them, or none. https://www.x.org/releases/X11R7.7/doc/xextproto/dpms.html */
export interface Dpms {
  power(): Promise<'on' | 'off'>;
  set(power: 'on' | 'off'): Promise<void>;
  /** Selects the change events that `isChange` recognises, where the server has them (DPMS 1.2, of 2021). */
  follow(): void;
  isChange(event: Buffer): boolean;
}

const [getVersion, capable, setTimeouts, enable, forceLevel, info, selectInput] = [0, 1, 3, 4, 6, 7, 8];
const [levelOn, levelOff] = [0, 3];
const infoNotify = 0;

/** null: the server cannot switch its displays. */
export async function openDpms(x11: X11): Promise<Dpms | null> {
  const extension = await x11.extension('DPMS');
  if (extension === null) return null;
  const { opcode } = extension;
  const version = await x11.ask(opcode, getVersion, Buffer.from([1, 0, 2, 0]));
  const hasEvents = version.readUInt16LE(8) > 1 || version.readUInt16LE(10) >= 2;
  if ((await x11.ask(opcode, capable))[8] !== 1) return null;
  const read = async () => {
    const reply = await x11.ask(opcode, info);
    return { level: reply.readUInt16LE(8), enabled: reply[10] === 1 };
  };
  return {
    async power() {
      const { level, enabled } = await read();
      return enabled && level !== levelOn ? 'off' : 'on';
    },
    async set(power) {
      if (!(await read()).enabled) {
        if (power === 'on') return;
        // The user disabled DPMS: clear the timeouts so that the displays do not turn off later.
        x11.send(opcode, setTimeouts, Buffer.alloc(8));
        x11.send(opcode, enable);
      }
      x11.send(opcode, forceLevel, Buffer.from([power === 'on' ? levelOn : levelOff, 0, 0, 0]));
    },
    follow() {
      if (hasEvents) x11.send(opcode, selectInput, x11Words(1));
    },
    isChange: (event) =>
      event[0] === events.genericEvent && event[1] === opcode && event.readUInt16LE(8) === infoNotify,
  };
}
