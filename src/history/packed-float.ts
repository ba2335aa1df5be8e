/**
 * Numbers in 16 bits: a sign, 6 bits of exponent, 9 of fraction. Three digits between 0.0001 and 280 trillion, which is
 * what a chart shows; smaller ones are 0.
 */
const bias = 14;
const unknown = 0xffff;
const largest = 0x7dff;

const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

export function pack(value: number | null): number {
  if (value === null || Number.isNaN(value)) return unknown;
  // Round to nearest: half of the last stored digit.
  float[0] = value * (1 + 2 ** -10);
  const whole = bits[0] ?? 0;
  const sign = (whole >>> 16) & 0x8000;
  const exponent = ((whole >>> 23) & 0xff) - 127 + bias;
  if (exponent <= 0) return 0;
  const packed = exponent >= 63 ? largest : (exponent << 9) | ((whole >>> 14) & 0x1ff);
  return sign | packed;
}

export function unpack(packed: number): number | null {
  if (packed === unknown) return null;
  if (packed === 0) return 0;
  const size = (1 + (packed & 0x1ff) / 512) * 2 ** (((packed >> 9) & 0x3f) - bias);
  return (packed & 0x8000) === 0 ? size : -size;
}
