import type { X11 } from './connection.ts';
import { eventKind, internAtoms, x11Words } from './protocol.ts';

const queryVersion = 0;
const selectSelectionInput = 2;
const selectionNotify = 0;
/** A new owner, and the end of the owner's window or connection. */
const everything = 0b111;

/**
 * Calls back whenever the owner of the selection changes or it has no owner. false: the server does not report it.
 * https://www.x.org/releases/X11R7.7/doc/fixesproto/fixesproto.txt
 */
export async function followSelection(x11: X11, name: string, changed: () => void): Promise<boolean> {
  const extension = await x11.extension('XFIXES');
  if (extension === null) return false;
  // XFixes requires the version negotiation first.
  await x11.ask(extension.opcode, queryVersion, x11Words(1, 0));
  const atom = (await internAtoms(x11, [name])).get(name) ?? 0;
  x11.onEvent((event) => {
    const isOurs = eventKind(event) === extension.firstEvent + selectionNotify;
    if (isOurs && event.readUInt32LE(12) === atom) changed();
  });
  x11.send(extension.opcode, selectSelectionInput, x11Words(x11.root, atom, everything));
  return true;
}
