const blockBytes = 128;
const descriptors = [54, 72, 90, 108];
const serialText = 0xff;

/** What a monitor says of itself, without its serial number. https://en.wikipedia.org/wiki/Extended_Display_Identification_Data */
export function scrubEdid(bytes: Buffer): Buffer {
  if (bytes.length < blockBytes) return bytes;
  const result = Buffer.from(bytes);
  result.fill(0, 12, 16);
  for (const at of descriptors) {
    // Two zeros and a kind: text, not a mode of the picture.
    if (result.readUInt16LE(at) === 0 && result[at + 3] === serialText)
      result.fill(0x20, at + 5, at + 18).writeUInt8(0x0a, at + 5);
  }
  const sum = result.subarray(0, blockBytes - 1).reduce((total, byte) => total + byte, 0);
  result.writeUInt8((256 - (sum & 255)) & 255, blockBytes - 1);
  return result;
}
