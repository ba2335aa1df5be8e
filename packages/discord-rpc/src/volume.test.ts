import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { amplitudeOf, sliderOf } from './volume.ts';

test.each([
  [0, 0],
  [50, 14.36],
  [75, 44.69],
  [100, 100],
  [150, 141.25],
  [200, 199.53],
])('a slider at %p is the amplitude %p', (slider, amplitude) => {
  expect(amplitudeOf(slider)).toBeCloseTo(amplitude, 2);
  expect(sliderOf(amplitude, 200)).toBe(slider);
});

test('every position of a slider survives a round trip', () => {
  fc.assert(fc.property(fc.integer({ min: 0, max: 200 }), (slider) => sliderOf(amplitudeOf(slider), 200) === slider));
});

test('values beyond the range of the application are clamped', () => {
  expect(sliderOf(200, 200)).toBe(200);
  expect(sliderOf(100.4, 100)).toBe(100);
  expect(sliderOf(-3, 100)).toBe(0);
});
