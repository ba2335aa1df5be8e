/** Where Windows keeps the rules of its firewall: texts such as `v2.31|Action=Allow|Active=TRUE|Dir=In|App=C:\x.exe|Name=X|`. */
export const rulesKey = 'SYSTEM\\CurrentControlSet\\Services\\SharedAccess\\Parameters\\FirewallPolicy\\FirewallRules';

/**
 * Whether others can reach a program, as a line for people. Without a rule Windows asks the user at the first start; whoever answers "Cancel"
 * leaves a rule that blocks.
 */
export function firewallLine(rules: readonly string[], program: string): string {
  const ours = rules.map(fieldsOf).filter((rule) => rule.get('App')?.toLowerCase() === program.toLowerCase());
  const incoming = ours.filter((rule) => rule.get('Active') !== 'FALSE' && rule.get('Dir') === 'In');
  if (incoming.some((rule) => rule.get('Action') === 'Block'))
    return `The firewall of Windows blocks ${program}: remove that rule (wf.msc, inbound rules), then ${allow(program)}`;
  if (incoming.some((rule) => rule.get('Action') === 'Allow'))
    return `The firewall of Windows lets others reach ${program}`;
  return `The firewall of Windows has no rule for ${program}, so others may not reach it: ${allow(program)}`;
}

const allow = (program: string) =>
  `run, as administrator, netsh advfirewall firewall add rule name=Hostler dir=in action=allow profile=private program="${program}"`;

const fieldsOf = (rule: string) =>
  new Map(
    rule.split('|').flatMap((field): [string, string][] => {
      const at = field.indexOf('=');
      return at === -1 ? [] : [[field.slice(0, at), field.slice(at + 1)]];
    }),
  );
