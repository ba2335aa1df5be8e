import { ServiceError } from '../../lib/errors.ts';
import { mostMs } from './keyboard.queue.ts';

export function unknownKey(key: string): never {
  // A single character may be part of a text typed key by key, which must not be logged.
  const name = [...key].length === 1 ? 'no such key' : `no key ${JSON.stringify(key)}`;
  throw new ServiceError('invalid', `keyboard.keypress: there is ${name}; keys are characters and names`, {
    subtype: 'BAD_REQUEST',
  });
}

export function unknownModifier(name: string): never {
  const known = 'control, shift, alt, command, right_shift, right_control and right_alt';
  throw new ServiceError(
    'invalid',
    `keyboard.keypress: ${JSON.stringify(name)} is not a modifier; available: ${known}`,
  );
}

export function unknownCharacter(): never {
  throw new ServiceError(
    'invalid',
    'keyboard.text: text contains a control character that no key produces; leave it out',
  );
}

/** How long typing takes at least, ms. Refuses a text whose delays alone exceed the limit. */
export function typingTime({ length }: readonly unknown[], delay: number | null | undefined): number {
  const takesMs = (delay ?? 0) * Math.max(0, length - 1);
  if (takesMs <= mostMs) return takesMs;
  const seconds = Math.round(takesMs / 1000);
  throw new ServiceError(
    'invalid',
    `keyboard.text: with this delay the text takes ${seconds} s to type, and at most ${mostMs / 1000} s are accepted; send less at a time, or a shorter delay`,
  );
}
