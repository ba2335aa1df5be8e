/** Frames of the local RPC socket: opcode and length as uint32 LE, then JSON in UTF-8. They arrive split and joined arbitrarily. */
export interface Frame {
  opcode: number;
  text: string;
}

export const opcodes = { handshake: 0, frame: 1, close: 2, ping: 3, pong: 4 } as const;
export const largestFrame = 16 * 1024 * 1024;
const headerBytes = 8;

export function encodeFrame(opcode: number, text: string): Uint8Array {
  const body = Buffer.from(text);
  const frame = Buffer.allocUnsafe(headerBytes + body.length);
  frame.writeUInt32LE(opcode, 0);
  frame.writeUInt32LE(body.length, 4);
  body.copy(frame, headerBytes);
  return frame;
}

/** Passes on each frame with its last byte. Throws on invalid data. */
export function createFrameReader(): (bytes: Uint8Array, take: (frame: Frame) => void) => void {
  const header = Buffer.alloc(headerBytes);
  let headerFilled = 0;
  let opcode = 0;
  let missing = 0;
  let pieces: Uint8Array[] = [];

  const begin = () => {
    opcode = header.readUInt32LE(0);
    missing = header.readUInt32LE(4);
    if (opcode > opcodes.pong) throw new Error(`it sent a frame of the unknown kind ${opcode}`);
    if (missing > largestFrame) throw new Error(`it sent a frame of ${missing} bytes`);
  };

  return (bytes, take) => {
    let at = 0;
    while (at < bytes.length) {
      if (headerFilled < headerBytes) {
        const piece = bytes.subarray(at, at + headerBytes - headerFilled);
        header.set(piece, headerFilled);
        headerFilled += piece.length;
        at += piece.length;
        if (headerFilled < headerBytes) return;
        begin();
      }
      const piece = bytes.subarray(at, at + missing);
      if (piece.length > 0) pieces.push(piece);
      missing -= piece.length;
      at += piece.length;
      if (missing > 0) return;
      const text = Buffer.concat(pieces).toString('utf8');
      pieces = [];
      headerFilled = 0;
      take({ opcode, text });
    }
  };
}
