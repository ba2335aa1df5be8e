/** Features of a monitor, by their numbers. VESA MCCS 2.2a */
export const vcp = { brightness: 0x10, contrast: 0x12, input: 0x60, power: 0xd6 } as const;

/** What it can be switched to: 1 is on, all above are kinds of off. */
export const monitorPower = { on: 0x01, off: 0x04, offByButton: 0x05 } as const;

const kinds: readonly [string, first: number, count: number][] = [
  ['VGA', 0x01, 2],
  ['DVI', 0x03, 2],
  ['Composite', 0x05, 2],
  ['S-Video', 0x07, 2],
  ['Tuner', 0x09, 3],
  ['Component', 0x0c, 3],
  ['DisplayPort', 0x0f, 2],
  ['HDMI', 0x11, 2],
];

/** Such as HDMI-1; those of no specification, such as USB-C, are called by their number: Input-27. */
export function inputName(value: number): string {
  const kind = kinds.find(([, first, count]) => value >= first && value < first + count);
  return kind === undefined ? `Input-${value}` : `${kind[0]}-${value - kind[1] + 1}`;
}

/** null: there is no such name. However it is written: hdmi1, HDMI-1, input-27. */
export function inputNumber(name: string): number | null {
  const plain = (text: string) => text.toLowerCase().replace(/[\s_-]/g, '');
  const wanted = plain(name);
  const known = Array.from({ length: 256 }, (_, value) => value).filter((value) => value > 0);
  return known.find((value) => plain(inputName(value)) === wanted) ?? null;
}
