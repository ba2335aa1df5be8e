import { BusError } from './dbus.ts';

/** The handshake before the first message. https://dbus.freedesktop.org/doc/dbus-specification.html#auth-protocol */
export interface Handshake {
  /** Takes bytes from the bus. Returns the remaining bytes at the end, else null. Throws BusError where the bus refuses. */
  receive(bytes: Uint8Array): Uint8Array | null;
}

/**
 * Authenticates by user, which the bus knows from the socket, and negotiates descriptors where they are supported. `guid`: of the expected bus; null:
 * its address names none.
 */
export function createHandshake(
  send: (bytes: Uint8Array) => void,
  wantsDescriptors: boolean,
  guid: string | null,
): Handshake {
  let rest: Uint8Array = new Uint8Array();
  let isAccepted = false;
  // The digits of the user's number in hexadecimal ASCII.
  const id = [...String(process.getuid?.() ?? 0)].map((digit) => `3${digit}`).join('');
  send(Buffer.from(`\0AUTH EXTERNAL ${id}\r\n`));

  /** Returns whether that was the last line. */
  const answer = (line: string): boolean => {
    // An ERROR in reply to NEGOTIATE_UNIX_FD only means that descriptors are not supported.
    if (!isAccepted && line !== 'OK' && !line.startsWith('OK ')) throw refused(line);
    if (!isAccepted && guid !== null && line.slice(3).trim().toLowerCase() !== guid.toLowerCase())
      throw anotherBus(line, guid);
    const negotiates = !isAccepted && wantsDescriptors;
    isAccepted = true;
    send(Buffer.from(negotiates ? 'NEGOTIATE_UNIX_FD\r\n' : 'BEGIN\r\n'));
    return !negotiates;
  };

  return {
    receive(bytes) {
      rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
      for (;;) {
        const end = rest.indexOf(newline);
        if ((end === -1 ? rest.length : end) > longestLine) throw refused('an unterminated line');
        if (end === -1) return null;
        const line = Buffer.from(rest.subarray(0, end)).toString('latin1').trimEnd();
        rest = rest.subarray(end + 1);
        if (answer(line)) return rest;
      }
    },
  };
}

const newline = '\n'.charCodeAt(0);
// The limit of the reference daemon.
const longestLine = 16 * 1024;

function anotherBus(line: string, guid: string): BusError {
  const shown = JSON.stringify(line.slice(0, 80));
  return new BusError('Client.NoBus', `its GUID is not that of its address (guid=${guid}); it answered ${shown}`);
}

function refused(line: string): BusError {
  return new BusError('Client.NoBus', `it rejected the authentication with ${JSON.stringify(line.slice(0, 80))}`);
}
