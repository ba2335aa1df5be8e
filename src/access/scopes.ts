import { insertAfter } from '../lib/insert-after.ts';

/** What a token may do, as lists, prompts and documents show it. */
export interface ScopeDeclaration {
  description: string;
  /** The same in a few words. */
  label: string;
  /** The scope before it in lists; omitted: it comes last. */
  after?: Scope;
  /** Possible harm, 0 to 100. A permission prompt names the gravest first, because desktops cut long texts at their end. */
  gravity: number;
  /** false: never granted to clients of an MQTT broker. */
  mqtt?: false;
  /** Granted to agents unless the user chooses otherwise. */
  agents?: true;
}

/** Scopes that belong to no single feature. */
const baseScopes = {
  read: {
    description: 'read modules, their state and metrics, and listen to them',
    label: 'read',
    gravity: 0,
    agents: true,
  },
  control: {
    description:
      'open addresses and files, lock the session, wake other machines of the network, set the brightness, contrast and input of displays and switch them on and off, switch do not disturb and the night light, connect paired Bluetooth devices and switch Bluetooth, keep the machine awake, set the power profile',
    label: 'open things and lock',
    gravity: 40,
    agents: true,
  },
  command: {
    description: 'run the allow-listed commands and see the settings',
    label: 'run commands',
    gravity: 95,
  },
  admin: {
    description: 'change settings, manage tokens, stop the service',
    label: 'administer',
    gravity: 100,
    mqtt: false,
  },
} as const;

/** The scopes of features: each definition file adds its own by declaration merging. */
// biome-ignore lint/suspicious/noEmptyInterface: features add the members.
export interface FeatureScopes {}

export type Scope = keyof typeof baseScopes | keyof FeatureScopes;

export type FeatureScopeDeclarations = { readonly [S in keyof FeatureScopes]?: ScopeDeclaration };

export interface Scopes {
  /** In the order of lists and documents. */
  all: readonly Scope[];
  /** Those a client of an MQTT broker may get. */
  mqtt: readonly Scope[];
  /** The scopes of an agent unless the user chooses others. */
  agents: readonly Scope[];
  /** The gravest first. */
  gravest: readonly Scope[];
  isScope(name: unknown): name is Scope;
  of(scope: Scope): ScopeDeclaration;
}

export function createScopes(contributions: readonly FeatureScopeDeclarations[]): Scopes {
  const declared = new Map<string, ScopeDeclaration>(Object.entries(baseScopes));
  const added = contributions.flatMap((each) => Object.entries<ScopeDeclaration>(each));
  const names = insertAfter(
    [...declared.keys()],
    added.map(([name, { after }]) => ({ name, after })),
  );
  for (const [name, declaration] of added) declared.set(name, declaration);
  const isScope = (name: unknown): name is Scope => typeof name === 'string' && declared.has(name);
  const of = (scope: Scope): ScopeDeclaration => {
    const found = declared.get(scope);
    if (found === undefined) throw new Error(`no feature declares the scope ${scope}`);
    return found;
  };
  const all = names.filter(isScope);
  return {
    all,
    mqtt: all.filter((scope) => of(scope).mqtt !== false),
    agents: all.filter((scope) => of(scope).agents === true),
    gravest: all.toSorted((one, other) => of(other).gravity - of(one).gravity),
    isScope,
    of,
  };
}
