import type { ConnectLocal } from '@hostler/io/local-socket.ts';
import { openWayland } from '@hostler/wayland/connection.ts';
import { readGlobals } from '@hostler/wayland/globals.ts';
import { followOutputs, type WaylandOutputs } from '@hostler/wayland/outputs.ts';
import { type Clock, sleep } from '../../../lib/clock.ts';
import { closedOnFailure } from '../../../lib/closing.ts';
import type { PointerDisplay } from './pointer.mover.ts';

/** The displays of a Wayland session and whether it has a pointer, independent of the backend. */
export type PointerDesktop = Awaited<ReturnType<typeof openPointerDesktop>>;

const pointerAbility = 1;
const wakeMs = 300;

export async function openPointerDesktop(
  { connectLocal, clock }: { connectLocal: ConnectLocal; clock: Clock },
  socket: string,
  timeoutMs: number,
) {
  const wayland = await openWayland(connectLocal, clock, { socket, timeoutMs });
  return await closedOnFailure(wayland, async () => {
    const globals = await readGlobals(wayland);
    let abilities = 0;
    const seat = globals.bind('wl_seat', 1, (opcode, event) => {
      if (opcode === 0) abilities = event.uint();
    });
    const outputs = await followOutputs(wayland, () => {});
    const known = () => waylandPointerDisplays(outputs);
    return {
      wayland,
      globals,
      seat,
      /** As received so far. */
      known,
      /** After all pending changes were received. */
      async displays() {
        await wayland.sync();
        return known();
      },
      /** Whether the desktop already has a pointer. */
      hasPointer: () => (abilities & pointerAbility) !== 0,
      /** Creates a pointer with `make`; then waits until programs know the first pointer of the desktop. */
      async withNew<T>(make: () => Promise<T>): Promise<T> {
        await wayland.sync();
        const isFirst = (abilities & pointerAbility) === 0;
        const made = await make();
        if (isFirst) await sleep(clock, wakeMs);
        return made;
      },
      close: () => wayland.close(),
    };
  });
}

/** By their names in the module displays. */
function waylandPointerDisplays(outputs: Pick<WaylandOutputs, 'list'>): PointerDisplay[] {
  return outputs.list().flatMap((output, index) => {
    const { x, y, isTurned } = output;
    const [pixelWidth, pixelHeight] = isTurned ? [output.height, output.width] : [output.width, output.height];
    if (pixelWidth === 0 || pixelHeight === 0) return [];
    const [width, height] = [output.logicalWidth || pixelWidth, output.logicalHeight || pixelHeight];
    return [{ id: output.name ?? `wayland-${index}`, x, y, width, height, pixelWidth, pixelHeight }];
  });
}
