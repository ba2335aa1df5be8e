import { expect, test } from 'bun:test';
import { batteryCharge, batteryPower, parseUevent } from './power-supply.ts';
import { wattsBetween } from './powercap.ts';

test('a battery reports power, or current and voltage, in millionths', () => {
  expect(batteryPower(parseUevent('POWER_SUPPLY_POWER_NOW=7843000\nPOWER_SUPPLY_VOLTAGE_NOW=16132000\n'))).toBeCloseTo(
    7.843,
  );
  expect(
    batteryPower(parseUevent('POWER_SUPPLY_CURRENT_NOW=1500000\nPOWER_SUPPLY_VOLTAGE_NOW=12000000\n')),
  ).toBeCloseTo(18);
});

test('some drivers report discharge as a negative number', () => {
  expect(batteryPower(parseUevent('POWER_SUPPLY_POWER_NOW=-5000000\n'))).toBeCloseTo(5);
});

test('a battery that reports neither has an unknown power', () => {
  expect(batteryPower(parseUevent('POWER_SUPPLY_CURRENT_NOW=1500000\n'))).toBeNull();
});

test('a gauge below empty has no time left, not a negative one', () => {
  const uevent =
    'POWER_SUPPLY_TYPE=Battery\nPOWER_SUPPLY_STATUS=Discharging\nPOWER_SUPPLY_CHARGE_NOW=-12000\nPOWER_SUPPLY_CHARGE_FULL=3000000\nPOWER_SUPPLY_CURRENT_NOW=-400000\n';
  expect(batteryCharge([parseUevent(uevent)])?.seconds).toBe(0);
});

test('watts are joules over seconds, also when the counter wrapped', () => {
  expect(wattsBetween(1_000_000, 3_000_000, 100, 10_000_000)).toBeCloseTo(20);
  expect(wattsBetween(9_500_000, 500_000, 100, 10_000_000)).toBeCloseTo(10);
});

test('a counter that jumped back without a known range, or without elapsed time, gives null', () => {
  expect(wattsBetween(9_500_000, 500_000, 100, 0)).toBeNull();
  expect(wattsBetween(1, 2, 0, 100)).toBeNull();
});
