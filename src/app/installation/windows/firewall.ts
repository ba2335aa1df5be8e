import type { FirewallProfile } from './netfw.ts';

const policy = 'SYSTEM\\CurrentControlSet\\Services\\SharedAccess\\Parameters\\FirewallPolicy\\FirewallRules';
/**
 * Where Windows keeps the rules of its firewall, and those of a domain: texts such as
 * `v2.31|Action=Allow|Active=TRUE|Dir=In|App=C:\x.exe|Name=X|`.
 */
export const rulesKeys = [policy, 'SOFTWARE\\Policies\\Microsoft\\WindowsFirewall\\FirewallRules'];

export interface FirewallFacts {
  rules: readonly string[];
  /** The profiles of the current networks; null: unknown. */
  profiles: readonly FirewallProfile[] | null;
  program: string;
  /** The port it listens on; null: it is not running. */
  port: number | null;
  /** Values of environment variables, which rules may contain. */
  variable(name: string): string | null;
}

/**
 * Whether other machines can reach the program, as lines for people. Without a rule Windows prompts the user at the first start; "Cancel"
 * creates a rule that blocks.
 */
export function firewallLines(facts: FirewallFacts): string[] {
  const profiles = facts.profiles ?? [];
  // Without a network, or where it is unknown, the rules of private networks are reported.
  if (profiles.length === 0) return [lineFor(facts, null)];
  return [...new Set(profiles.map((profile) => lineFor(facts, profile)))];
}

function lineFor(facts: FirewallFacts, profile: FirewallProfile | null): string {
  const { program } = facts;
  const where = profile === null ? '' : ` on this ${profile.kind} network`;
  if (profile?.isOn === false) return `The firewall of Windows is off${where}, so others can reach Hostler`;
  if (profile?.blocksAll === true)
    return `The firewall of Windows blocks all incoming connections${where}, regardless of its rules, so other devices cannot reach Hostler`;
  const ours = facts.rules.map((rule) => rule.split('|')).filter((fields) => isAbout(fields, facts));
  const saying = (action: string, kind: string) =>
    ours.some((fields) => fields.includes(`Action=${action}`) && isFor(fields, kind));
  const kind = profile?.kind ?? 'private';
  if (saying('Block', kind))
    return `The firewall of Windows blocks ${program}${where}: run, as administrator, ${unblockCommand(program)} and then ${allowCommand(program)}`;
  if (saying('Allow', kind) || profile?.allowsByDefault === true)
    return `The firewall of Windows lets others reach ${program}${where}`;
  if (kind !== 'private' && saying('Allow', 'private'))
    return `The firewall of Windows lets others reach ${program} on private networks only, and Windows counts this one as ${kind}: if it is your own, make it a private one in the settings of Windows, under "Network & internet"`;
  return `The firewall of Windows has no rule that lets others reach ${program}${where}: run, as administrator, ${allowCommand(program)}`;
}

export const firewallRuleName = 'Hostler';

export const allowCommand = (program: string) =>
  `netsh advfirewall firewall add rule name=${firewallRuleName} dir=in action=allow profile=private program="${program}"`;

const unblockCommand = (program: string) =>
  `netsh advfirewall firewall delete rule name=all dir=in program="${program}"`;

export const unruleCommand = `netsh advfirewall firewall delete rule name=${firewallRuleName}`;

/** An active rule for incoming TCP, for this program or its port. */
function isAbout(fields: string[], { program, port, variable }: FirewallFacts): boolean {
  const values = (name: string) =>
    fields.filter((field) => field.startsWith(`${name}=`)).map((field) => field.slice(name.length + 1));
  if (values('Dir')[0] !== 'In' || values('Active')[0] === 'FALSE') return false;
  if (!['6', '256', undefined].includes(values('Protocol')[0])) return false;
  // Those are for services, and for programs of the Store.
  if (values('Svc').length > 0 || values('AppPkgId').length > 0) return false;
  const ports = [...values('LPort'), ...values('LPort2_10')];
  if (ports.length > 0 && !(port === null ? values('App').length > 0 : ports.some((range) => isIn(range, port))))
    return false;
  const [app] = values('App').map((text) => text.replace(/%([^%]+)%/g, (all, name: string) => variable(name) ?? all));
  // Without a program it applies to all programs on that port.
  return app === undefined ? ports.length > 0 : app.toLowerCase() === program.toLowerCase();
}

/** A rule without a profile applies to all of them. */
function isFor(fields: string[], kind: string): boolean {
  const named = fields.filter((field) => field.startsWith('Profile=')).map((field) => field.slice(8).toLowerCase());
  return named.length === 0 || named.includes(kind);
}

function isIn(range: string, port: number): boolean {
  const [from = Number.NaN, to = from] = range.split('-').map(Number);
  return port >= from && port <= to;
}
