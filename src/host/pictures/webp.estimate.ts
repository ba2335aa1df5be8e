/** How many bits a pixel takes, about, of those that were added. */
export interface PixelEstimate {
  add(pixel: number): void;
  /** 0 as long as there is none. */
  bits(): number;
}

/** Each of the four bytes by itself, as they are written. */
export function createPixelEstimate(): PixelEstimate {
  const uses = new Uint32Array(4 * 256);
  let sum = 0;
  const count = (place: number) => {
    uses[place] = (uses[place] ?? 0) + 1;
  };
  return {
    add(pixel) {
      sum += 1;
      count(pixel & 0xff);
      count(0x100 | ((pixel >>> 8) & 0xff));
      count(0x200 | ((pixel >>> 16) & 0xff));
      count(0x300 | (pixel >>> 24));
    },
    bits: () => uses.reduce((bits, times) => bits + (times === 0 ? 0 : (times / sum) * Math.log2(sum / times)), 0),
  };
}
