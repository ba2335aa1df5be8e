import type { ConnectLocal } from '@hostler/io/local-socket.ts';
import { message, text, word } from './wayland-words.ts';

export interface PowerWords {
  kind: string;
  mode: number;
  on: number;
  off: number;
}
export const wlr: PowerWords = { kind: 'zwlr_output_power_manager_v1', mode: 0, on: 1, off: 0 };
export const kde: PowerWords = { kind: 'org_kde_kwin_dpms_manager', mode: 1, on: 0, off: 3 };

/**
 * A compositor with two outputs, DP-1 and DP-2, that follows requests. `held`: another program controls DP-2; `fixed`: those cannot be
 * switched, as KWin reports for virtual displays.
 */
export function switchingCompositor(
  { kind, mode, on, off }: PowerWords,
  { held = false, fixed = [] as readonly string[] } = {},
) {
  const globals = ['wl_output', kind, 'wl_output'];
  const lit = new Map<number, number>();
  /** Switches by their number, and the output each belongs to. */
  const switches = new Map<number, number>();
  let outputIds: number[] = [];
  let manager = 0;
  let emit: (bytes: Buffer) => void = () => {};
  const send = (...messages: Buffer[]) => void setImmediate(() => emit(Buffer.concat(messages)));
  const connect: ConnectLocal = async (_socket, { data }) => {
    emit = data;
    return {
      send(bytes: Uint8Array): void {
        const request = Buffer.from(bytes);
        const [object, opcode] = [request.readUInt32LE(0), request.readUInt16LE(4)];
        const first = request.length < 12 ? 0 : request.readUInt32LE(8);
        if (object === 1 && opcode === 1)
          return send(...globals.map((name, index) => message(first, 0, word(index), text(name), word(9))));
        if (object === 1) return send(message(first, 0, word(0)));
        if (object === 2) {
          const id = request.readUInt32LE(request.length - 4);
          if (first === 1) manager = id;
          else {
            outputIds = [...outputIds, id];
            lit.set(id, on);
            send(message(id, 4, text(`DP-${outputIds.length}`)), message(id, 2));
          }
          return;
        }
        if (object === manager) {
          const output = request.readUInt32LE(12);
          if (held && output === outputIds[1]) return send(message(first, 1));
          switches.set(first, output);
          const name = `DP-${outputIds.indexOf(output) + 1}`;
          if (kind === kde.kind) send(message(first, 0, word(fixed.includes(name) ? 0 : 1)));
          return send(message(first, mode, word(lit.get(output) ?? 0)));
        }
        const output = switches.get(object);
        if (output === undefined) return;
        if (opcode === 1) return void switches.delete(object);
        lit.set(output, first);
        send(message(object, mode, word(first)));
      },
      close() {},
    } as never;
  };
  const powers = () => [...lit.values()].map((value) => (value === on ? 'on' : value === off ? 'off' : value));
  /** As if another client had done it. */
  const switchOff = (index: number) => {
    const output = outputIds[index] ?? 0;
    lit.set(output, off);
    const [found] = [...switches].find(([, of]) => of === output) ?? [];
    if (found !== undefined) emit(message(found, mode, word(off)));
  };
  return { connect, powers, switches, switchOff };
}
