/**
 * How users call this program: `hostler`, or `npm run -s hostler --` in a clone. A launcher sets the variable
 * (scripts/launch.mjs), and so may a wrapper such as a container. The built file is called by its name.
 */
export const ownProgram = process.env.HOSTLER_COMMAND || 'hostler';

/** A command for users to type, for every message that names one: `ownCommand('token list')`. */
export const ownCommand = (words: string): string => `${ownProgram} ${words}`;
