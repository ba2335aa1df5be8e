/** What only monitors and desktops report. */
export const unreported = { brightness: null, contrast: null, input_source: null, inputs: null, power: null };
