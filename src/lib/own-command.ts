/**
 * How people call this program here: `hostler`, or `npm run -s hostler --` in a clone. What starts it from source says so
 * (scripts/launch.mjs), and so may what wraps it, such as a container. The built file is called by its name.
 */
export const ownProgram = process.env.HOSTLER_COMMAND || 'hostler';

/** A command for people to type, in every sentence that names one: `ownCommand('token list')`. */
export const ownCommand = (words: string): string => `${ownProgram} ${words}`;
