import { randomBytes } from '../lib/digest.ts';

/** Neither I, L, O nor U: what is read off a screen and typed must not be taken for something else. 32 characters, so bytes divide evenly. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const length = 12;

/** Sixty random bits, in groups of four for people: K7QF-2M9X-3ATB. */
export function newLoginCode(): string {
  const characters = [...randomBytes(length)].map((byte) => alphabet[byte % alphabet.length]);
  return characters.join('').replace(/.{4}(?=.)/g, '$&-');
}

/** As it was made, from what somebody typed: in any case, with or without the hyphens, O for 0, I and L for 1. */
export function plainLoginCode(typed: string): string {
  const plain = typed.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1');
  return plain.replace(/.{4}(?=.)/g, '$&-');
}

export const looksLikeLoginCode = (text: string) =>
  /^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){2}$/.test(plainLoginCode(text));
