import { z } from 'zod';

export const keypressInputSchema = z.object({
  key: z
    .string()
    .min(1)
    .max(40)
    .describe(
      'A character, or a name: backspace, delete, enter, tab, escape, up, down, left, right, home, end, pageup, pagedown, f1-f24, command, alt, control, shift, right_shift, space, printscreen, insert, menu, audio_mute, audio_vol_down, audio_vol_up, audio_play, audio_stop, audio_pause, audio_prev, audio_next, audio_rewind, audio_forward, audio_repeat, audio_random, numpad_0-numpad_9, numpad_lock, numpad_+ (and -, *, /, ., enter), lights_mon_up, lights_mon_down, lights_kbd_toggle, lights_kbd_up, lights_kbd_down',
    ),
  modifiers: z
    .array(z.string().max(40))
    .max(8)
    .nullish()
    .describe('Keys to hold meanwhile: control, shift, alt, command, right_shift …'),
  delay: z.number().min(0).max(10_000).nullish().describe('Milliseconds to hold the key; default 0'),
});

export type KeypressInput = z.infer<typeof keypressInputSchema>;

export const keypressOutputSchema = z.object({
  key: z.string().describe('What was pressed'),
  modifiers: z.array(z.string()).describe('What was held meanwhile'),
});

export type KeypressOutput = z.infer<typeof keypressOutputSchema>;

export const keyboardTextInputSchema = z.object({
  text: z.string().max(10_000).describe('Text to type; any Unicode; line ends are typed as Enter, tabs as Tab'),
  delay: z
    .number()
    .min(0)
    .max(1000)
    .nullish()
    .describe('Milliseconds between characters; default 0. All delays together are 60 seconds at most'),
});

export type KeyboardTextInput = z.infer<typeof keyboardTextInputSchema>;

export const keyboardTextOutputSchema = z.object({
  characters: z.int().describe('How many characters were typed'),
});

export type KeyboardTextOutput = z.infer<typeof keyboardTextOutputSchema>;

export const keyboardCancelInputSchema = z.object({});

export const keyboardCancelOutputSchema = z.object({
  cancelled: z.int().describe('How many keys and texts were being typed or queued'),
});

export const typeTextInputSchema = z.strictObject({ text: z.string().max(2000) });
export const typeTextOutputSchema = z.object({ characters: z.int() });
export const pressKeyInputSchema = z.strictObject({
  key: z.string().max(40).describe('A character or a name such as enter, f5, audio_play'),
  modifiers: z.array(z.enum(['control', 'shift', 'alt', 'command'])).optional(),
});
export const pressKeyOutputSchema = z.object({ pressed: z.boolean() });
