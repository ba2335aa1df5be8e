/**
 * Accepts a subset of what the schema of one value accepts unchanged, without the schema library, which takes 9 MiB once it is loaded
 * (`bench/attribution.ts`). "npm run generate" derives rules from schemas.
 */
export type PlainRule =
  | { kind: 'boolean' }
  | { kind: 'int'; min: number; max: number }
  | { kind: 'number'; min: number; max?: number }
  | { kind: 'text'; min?: number; max?: number; pattern?: string }
  | { kind: 'url'; max: number; protocol: string; pattern?: string }
  | { kind: 'one'; of: readonly unknown[] }
  | { kind: 'list'; max: number; item: PlainRule }
  | { kind: 'either'; of: readonly PlainRule[] };

export function followsRule(rule: PlainRule, value: unknown): boolean {
  switch (rule.kind) {
    case 'boolean':
      return typeof value === 'boolean';
    case 'int':
      return Number.isSafeInteger(value) && Number(value) >= rule.min && Number(value) <= rule.max;
    case 'number':
      return Number.isFinite(value) && Number(value) >= rule.min && Number(value) <= (rule.max ?? Infinity);
    case 'text':
      return isText(value, rule) && value.length >= (rule.min ?? 0);
    case 'url':
      // Every URL of ours has an authority and no spaces around it.
      return isText(value, rule) && /^[a-z]+:\/\/\S+$/.test(value) && hasProtocol(value, new RegExp(rule.protocol));
    case 'one':
      return rule.of.includes(value);
    case 'list':
      return Array.isArray(value) && value.length <= rule.max && value.every((each) => followsRule(rule.item, each));
    case 'either':
      return rule.of.some((each) => followsRule(each, value));
  }
}

function isText(value: unknown, { max = Infinity, pattern = '' }: { max?: number; pattern?: string }): value is string {
  return typeof value === 'string' && value.length <= max && new RegExp(pattern).test(value);
}

const hasProtocol = (value: string, protocol: RegExp) =>
  URL.canParse(value) && protocol.test(new URL(value).protocol.slice(0, -1));
