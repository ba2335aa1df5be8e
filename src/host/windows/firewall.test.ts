import { expect, test } from 'bun:test';
import { firewallLine } from './firewall.ts';

const program = 'C:\\Hostler\\hostlerw.exe';
const rule = (more: string) =>
  `v2.31|Active=TRUE|Dir=In|Protocol=6|App=c:\\hostler\\HOSTLERW.exe|Name=Hostler|${more}|`;

test.each([
  [[], 'has no rule for'],
  [[rule('Action=Allow')], 'lets others reach'],
  [[rule('Action=Allow'), rule('Action=Block')], 'blocks'],
  [[rule('Action=Allow').replace('TRUE', 'FALSE')], 'has no rule for'],
  [[rule('Action=Allow').replace('Dir=In', 'Dir=Out')], 'has no rule for'],
  [[rule('Action=Allow').replace('hostler\\', 'other\\')], 'has no rule for'],
  [['', '|||', 'no rule at all'], 'has no rule for'],
])('%j', (rules, words) => {
  expect(firewallLine(rules, program)).toContain(words);
});
