import { scopes } from './scopes.generated.ts';

/** What a token may do. */
export type Scope = keyof typeof scopes;

export const isScope = (name: string): name is Scope => Object.hasOwn(scopes, name);

export const allScopes: readonly Scope[] = Object.keys(scopes).filter(isScope);

/** What a scope grants; one of another version has only its name. */
export const scopeDescription = (scope: string): string => (isScope(scope) ? scopes[scope].description : scope);

/** The same in a few words. */
export const scopeLabel = (scope: string): string => (isScope(scope) ? scopes[scope].label : scope);
