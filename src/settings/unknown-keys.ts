import { nearest } from '../lib/nearest-name.ts';
import { isObject } from '../lib/values.ts';
import { settingAt, valueAt } from './locks.ts';
import type { Settings } from './settings.schema.ts';
import { versionKey } from './settings-version.ts';

/** Paths of keys that are not settings: their author expects an effect. */
export function unknownPaths(given: Record<string, unknown>, settings: unknown): string[][] {
  return leafPaths(given).filter((path) => !isAboutFile(path) && valueAt(settings, path) === undefined);
}

/** What is wrong with such a key, and what was probably meant. `more` is about the key. */
export function unknownSetting(path: readonly string[], defaults: Settings, more = ''): string {
  const key = path.join('.');
  const shown = `there is no setting ${key.slice(0, 100)}${more}`;
  const [first = ''] = path;
  // The notation of the command line, used in a file.
  if (path.length === 1 && first.includes('.') && settingAt(defaults, first) !== undefined)
    return `${shown} with a dot in its name; write ${nestedForm(first.split('.'))}`;
  const meant = nearestSetting(key, defaults);
  return meant === null ? shown : `${shown}; did you mean ${meant}?`;
}

/** By its name, or by its last part, for users who do not know the section. */
export function nearestSetting(key: string, defaults: Settings): string | null {
  const known = leavesOf(defaults);
  const last = lastOf(key).toLowerCase();
  return nearest(key, known) ?? known.find((each) => lastOf(each).toLowerCase() === last) ?? null;
}

/** Dotted keys of everything that is not an object with members. */
export function leavesOf(value: Record<string, unknown>): string[] {
  return leafPaths(value).map((path) => path.join('.'));
}

function leafPaths(value: Record<string, unknown>, before: string[] = []): string[][] {
  return Object.entries(value).flatMap(([name, inner]) => {
    const path = [...before, name];
    return isObject(inner) && Object.keys(inner).length > 0 ? leafPaths(inner, path) : [path];
  });
}

/** The schema for editors, and the version that wrote the file. */
const isAboutFile = ([name = '', ...rest]: readonly string[]) =>
  rest.length === 0 && (name === '$schema' || name === versionKey);

const lastOf = (key: string) => key.slice(key.lastIndexOf('.') + 1);

const nestedForm = (parts: string[]) => parts.reduceRight((inner, name) => `{"${name}": ${inner}}`, '…');
