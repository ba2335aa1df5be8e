/** The application's sliders are perceptual, its RPC uses amplitudes: x^2.8 up to 100, and from there 6 dB up to 200. */
export function sliderOf(amplitude: number, most: 100 | 200): number {
  const slider =
    amplitude <= 100
      ? 100 * (Math.max(0, amplitude) / 100) ** (1 / 2.8)
      : 100 + (100 * 20 * Math.log10(amplitude / 100)) / 6;
  return Math.min(most, Math.round(slider));
}

export function amplitudeOf(slider: number): number {
  return slider <= 100 ? 100 * (slider / 100) ** 2.8 : 100 * 10 ** ((((slider - 100) / 100) * 6) / 20);
}
