import type { ActionContext, ActionParts } from '../../core/action.ts';
import { shareIdOf } from '../../core/caller.ts';
import { requireDesktop, whyNoInputDesktop } from '../../host/windows/desktop-access.ts';
import type { KeyStroke } from '../../host/windows/native/user32.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { interruptibleSleep } from '../../lib/clock.ts';
import { ServiceError } from '../../lib/errors.ts';
import type { KeyboardControl } from './keyboard.contract.ts';
import { controlKeys, keyNamed, keyOfCharacter, modifierNamed } from './keyboard.keys.windows.ts';
import { createTypingQueue } from './keyboard.queue.ts';
import { typingTime, unknownCharacter, unknownKey, unknownModifier } from './keyboard.refusals.ts';

export const keyboardWindows = (host: WindowsHost): KeyboardControl => {
  const send = async (strokes: KeyStroke[]) => {
    const { user32 } = await host.native();
    if (user32.sendKeys(strokes) === strokes.length) return;
    throw new ServiceError(
      'failed',
      'Not everything was typed: a program with higher rights has the focus, or the screen is locked',
    );
  };
  return {
    unavailable: () => whyNoInputDesktop(host),
    async keypress({ key, modifiers, delay }, context) {
      const held = (modifiers ?? []).map((name) => modifierNamed(name) ?? unknownModifier(name));
      const down = [...held.map((virtual) => stroke({ virtual })), ...strokesDown(key, held.length > 0)];
      await context.keep(createTyping).take(wantedBy(context, delay ?? 0), async (signal) => {
        await requireDesktop(host);
        signal.throwIfAborted();
        try {
          await send(down);
          if (delay) await interruptibleSleep(host.clock, delay, signal);
        } finally {
          // Release all keys, also after a failure.
          await send(down.toReversed().map((one) => ({ ...one, isUp: true })));
        }
      });
    },
    async text({ text, delay }, context) {
      const characters = [...text.toWellFormed().replaceAll('\r\n', '\n')];
      const strokes = characters.map((one) => strokesOfCharacter(one) ?? unknownCharacter());
      await context.keep(createTyping).take(wantedBy(context, typingTime(strokes, delay)), async (signal) => {
        for (const one of strokes) {
          await requireDesktop(host);
          signal.throwIfAborted();
          await send(one);
          if (delay) await interruptibleSleep(host.clock, delay, signal);
        }
      });
      return characters.length;
    },
    cancel: (why, { keep }) => keep(createTyping).cancel(why),
    // The next press releases keys held by SendInput; Windows borrows no key codes.
    releaseLeftKeys: async () => 0,
  };
};

/** One for the service. */
const createTyping = (parts: ActionParts) => createTypingQueue(parts);

const wantedBy = ({ caller, signal }: ActionContext, takesMs: number) => ({
  tokenId: shareIdOf(caller),
  takesMs,
  signal,
});

const stroke = (given: Partial<KeyStroke>): KeyStroke => ({ virtual: 0, unit: 0, isUp: false, ...given });

function strokesDown(key: string, isHeld: boolean): KeyStroke[] {
  if ([...key].length === 1) {
    const virtual = isHeld ? keyOfCharacter(key) : null;
    if (virtual !== null) return [stroke({ virtual })];
    const made = strokesOfCharacter(key)?.filter(({ isUp }) => !isUp);
    return made ?? unknownKey(key);
  }
  const found = keyNamed(key);
  if (found.kind === 'key') return [stroke({ virtual: found.virtual })];
  if (found.kind === 'lacking')
    throw new ServiceError('unsupported', `keyboard.keypress: Windows has no key ${JSON.stringify(key)}`);
  return unknownKey(key);
}

/** Down and up, unit by unit: Windows joins the surrogates of a character beyond U+FFFF. null: no key produces it. */
function strokesOfCharacter(character: string): KeyStroke[] | null {
  const code = character.codePointAt(0) ?? 0;
  const virtual = controlKeys[code];
  if (virtual !== undefined) return [stroke({ virtual }), stroke({ virtual, isUp: true })];
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return null;
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.flatMap((unit) => [stroke({ unit }), stroke({ unit, isUp: true })]);
}
