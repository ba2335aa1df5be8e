import fs from 'node:fs';
import { openWayland, type Wayland } from '@hostler/wayland/connection.ts';
import { type DataControl, openDataControl } from '@hostler/wayland/data-control.ts';
import { readGlobals } from '@hostler/wayland/globals.ts';
import { createDescriptorConnect, type DescriptorConnect } from '../../../host/linux/descriptor-socket.ts';
import { openPipe } from '../../../host/linux/pipe.ts';
import { closedOnFailure } from '../../../lib/closing.ts';
import { clipboardLimits } from './clipboard.limits.ts';
import { readAll, writeAll } from './clipboard.pipes.ts';
import { type ClipboardHost, type ClipboardView, knownTypes } from './clipboard.selection.ts';

const timeoutMs = 2000;
const mostReaders = 16;

export async function viewOnWayland({ clock }: ClipboardHost, socket: string): Promise<ClipboardView | null> {
  const sockets = createDescriptorConnect({ receives: false });
  const opened = await open(sockets, clock, socket);
  if (opened === null) return null;
  const { wayland, control } = opened;
  let offeredTypes: ReadonlySet<string> | null = null;
  return {
    async offered() {
      await wayland.sync();
      const offer = control.offer();
      offeredTypes = offer?.types ?? null;
      return offer === null ? null : new Set(knownTypes.filter((type) => offer.types.has(type)));
    },
    async fetch(type, mostBytes) {
      const offer = control.offer();
      if (offer === null) return null;
      const { read, write } = openPipe();
      try {
        sockets.attach(write);
        offer.receive(type);
      } catch (error) {
        fs.closeSync(read);
        throw error;
      } finally {
        // The owner has its own copy; the pipe does not end while this one is open.
        fs.closeSync(write);
      }
      return await readAll(clock, read, mostBytes, clipboardLimits);
    },
    async isSame() {
      await wayland.sync();
      return (control.offer()?.types ?? null) === offeredTypes;
    },
    close: async () => wayland.close(),
  };
}

/** Reports the content at the start, and every change after that. */
export async function followOnWayland(
  { clock, connectLocal }: ClipboardHost,
  socket: string,
  changed: () => void,
  gone: () => void,
): Promise<(() => void) | null> {
  const opened = await open({ connect: connectLocal }, clock, socket, changed);
  if (opened === null) return null;
  opened.wayland.onClosed(gone);
  return opened.wayland.close;
}

export async function holdOnWayland(
  { clock }: ClipboardHost,
  socket: string,
  contents: ReadonlyMap<string, Uint8Array>,
  lost: () => void,
): Promise<(() => void) | null> {
  const sockets = createDescriptorConnect({ receives: true, lasting: true });
  const opened = await open(sockets, clock, socket);
  if (opened === null) return null;
  const { wayland, control } = opened;
  const writing = new Set<() => void>();
  const stopWriting = () => {
    for (const stop of [...writing]) stop();
  };
  const send = (type: string) => {
    const descriptor = sockets.take();
    if (descriptor === null) return;
    const bytes = contents.get(type);
    if (bytes === undefined || writing.size >= mostReaders) return fs.closeSync(descriptor);
    const stop = writeAll(clock, descriptor, bytes, clipboardLimits.wholeMs, () => void writing.delete(stop));
    writing.add(stop);
  };
  const leave = () => {
    wayland.close();
    // Programs that are reading still get the rest.
    lost();
  };
  try {
    wayland.onClosed(lost);
    control.own([...contents.keys()], send, leave);
    await wayland.sync();
  } catch (error) {
    wayland.close();
    throw error;
  }
  return () => {
    stopWriting();
    wayland.close();
  };
}

/** null: the compositor lacks the protocol. */
async function open(
  { connect }: Pick<DescriptorConnect, 'connect'>,
  clock: ClipboardHost['clock'],
  socket: string,
  changed?: () => void,
): Promise<{ wayland: Wayland; control: DataControl } | null> {
  const wayland = await openWayland(connect, clock, { socket, timeoutMs });
  return await closedOnFailure(wayland, async () => {
    const control = openDataControl(wayland, await readGlobals(wayland), changed);
    if (control === null) {
      wayland.close();
      return null;
    }
    await wayland.sync();
    return { wayland, control };
  });
}
