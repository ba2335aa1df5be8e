/** The supported systems. The only place that reads the platform of the runtime. */
export type Platform = 'linux' | 'windows' | 'darwin';

const names: Partial<Record<NodeJS.Platform, Platform>> = { linux: 'linux', win32: 'windows', darwin: 'darwin' };

/** null: not a supported system. */
export const currentPlatform: Platform | null = names[process.platform] ?? null;
