import { expect, test } from 'bun:test';
import { parseVoiceSettings } from './voice-state.ts';

test('a list of devices that is too long is cut', () => {
  const available_devices = Array.from({ length: 5000 }, (_, index) => ({ id: `${index}`, name: 'Microphone' }));
  const { input, output } = parseVoiceSettings({ input: { volume: 100, available_devices }, output: {} });
  expect([input.devices.length, output.devices.length]).toEqual([256, 0]);
});
