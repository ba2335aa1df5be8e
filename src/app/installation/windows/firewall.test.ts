import { expect, test } from 'bun:test';
import { firewallLines } from './firewall.ts';
import type { FirewallProfile } from './netfw.ts';

const program = 'C:\\Hostler\\hostler.exe';
const rule = (more: string) => `v2.31|Active=TRUE|Dir=In|Protocol=6|App=c:\\hostler\\HOSTLER.exe|Name=Hostler|${more}|`;
const facts = {
  program,
  port: 9170,
  profiles: null,
  variable: (name: string) => (name === 'SystemDrive' ? 'C:' : null),
};
const network = (kind: FirewallProfile['kind'], more: Partial<FirewallProfile> = {}): FirewallProfile => ({
  kind,
  isOn: true,
  blocksAll: false,
  allowsByDefault: false,
  ...more,
});

test.each([
  [[], 'has no rule'],
  [[rule('Action=Allow')], 'lets others reach'],
  [[rule('Action=Allow'), rule('Action=Block')], 'blocks C:'],
  [[rule('Action=Allow').replace('TRUE', 'FALSE')], 'has no rule'],
  [[rule('Action=Allow').replace('Dir=In', 'Dir=Out')], 'has no rule'],
  [[rule('Action=Allow').replace('hostler\\', 'other\\')], 'has no rule'],
  [[rule('Action=Allow').replace('Protocol=6', 'Protocol=17')], 'has no rule'],
  [[rule('Action=Allow').replace('Protocol=6|', '')], 'lets others reach'],
  [[rule('Action=Allow').replace('c:', '%SystemDrive%')], 'lets others reach'],
  [[rule('Action=Allow').replace('c:', '%Unknown%')], 'has no rule'],
  [[rule('Action=Allow|LPort=80')], 'has no rule'],
  [[rule('Action=Allow|LPort=80|LPort=9170')], 'lets others reach'],
  [[rule('Action=Allow|LPort2_10=9000-9200')], 'lets others reach'],
  [['v2.31|Action=Allow|Active=TRUE|Dir=In|Protocol=6|LPort=9170|Name=A port|'], 'lets others reach'],
  [['v2.31|Action=Allow|Active=TRUE|Dir=In|Protocol=6|LPort=9170|Svc=other|Name=A service|'], 'has no rule'],
  [['v2.31|Action=Allow|Active=TRUE|Dir=In|Name=Everything of a package|AppPkgId=S-1-15-2-1|'], 'has no rule'],
  [[rule('Action=Allow|Profile=Public')], 'has no rule'],
  [['', '|||', 'no rule at all'], 'has no rule'],
])('the firewall report for the rules %j', (rules, words) => {
  expect(firewallLines({ ...facts, rules }).join()).toContain(words);
});

const privately = rule('Action=Allow|Profile=Private');
test.each([
  ['on a private network a rule for private ones is enough', [network('private')], 'on this private network'],
  ['a public network that may be a home is named', [network('public')], 'counts this one as public'],
  ['a firewall that is off blocks nothing', [network('public', { isOn: false })], 'is off on this public network'],
  [
    'one that blocks everything heeds no rule',
    [network('private', { blocksAll: true })],
    'blocks all incoming connections',
  ],
  ['one may let in what no rule names', [network('domain', { allowsByDefault: true })], 'lets others reach'],
  ['without a network the rules of private networks are reported', [], 'lets others reach'],
])('the firewall report: %s', (_name, profiles, words) => {
  expect(firewallLines({ ...facts, rules: [privately], profiles }).join()).toContain(words);
});

test('each kind of network that this machine is connected to has its line', () => {
  const profiles = [network('private'), network('public')];
  expect(firewallLines({ ...facts, rules: [privately], profiles })).toHaveLength(2);
});

test('the command to run names the program, with its spaces', () => {
  const spaced = 'C:\\Program Files\\Hostler\\hostler.exe';
  const [line] = firewallLines({ ...facts, rules: [], program: spaced });
  expect(line).toEndWith(
    `netsh advfirewall firewall add rule name=Hostler dir=in action=allow profile=private program="${spaced}"`,
  );
});
