/** The three systems we know. The only place that asks the runtime which one this is. */
export type Platform = 'linux' | 'windows' | 'darwin';

const names: Partial<Record<NodeJS.Platform, Platform>> = { linux: 'linux', win32: 'windows', darwin: 'darwin' };

/** null: a system nobody has written sources for. */
export const currentPlatform: Platform | null = names[process.platform] ?? null;
