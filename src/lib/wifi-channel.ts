/** Bands of Wi-Fi, by their usual names. */
export type WifiBand = '2.4 GHz' | '5 GHz' | '6 GHz' | '60 GHz';

/** null: not a frequency of these bands. */
export function wifiBandOf(megahertz: number): WifiBand | null {
  if (megahertz >= 2400 && megahertz < 2500) return '2.4 GHz';
  if (megahertz >= 4900 && megahertz < 5925) return '5 GHz';
  if (megahertz >= 5925 && megahertz < 7200) return '6 GHz';
  return megahertz >= 57_000 && megahertz < 72_000 ? '60 GHz' : null;
}

/** IEEE 802.11-2020, annex E: channels are 5 MHz apart, counted from the beginning of their band; Japan's channel 14 stands alone. */
export function wifiChannelOf(megahertz: number): number | null {
  switch (wifiBandOf(megahertz)) {
    case '2.4 GHz':
      return megahertz === 2484 ? 14 : wholeChannel(megahertz - 2407, 5);
    case '5 GHz':
      return megahertz < 5000 ? wholeChannel(megahertz - 4000, 5) : wholeChannel(megahertz - 5000, 5);
    case '6 GHz':
      return megahertz === 5935 ? 2 : wholeChannel(megahertz - 5950, 5);
    case '60 GHz':
      return wholeChannel(megahertz - 56_160, 2160);
    default:
      return null;
  }
}

const wholeChannel = (distance: number, apart: number) =>
  distance > 0 && distance % apart === 0 ? distance / apart : null;

/** -50 dBm and better is 100 %, -100 dBm is 0 %, as in other programs. */
export const wifiSignalPercent = (dbm: number) => Math.max(0, Math.min(100, 2 * (dbm + 100)));
