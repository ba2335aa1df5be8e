import { type Browser, chromium } from 'playwright-core';
import { findProgram } from './parts.ts';

/** Arguments with which the Chromium of Debian runs alone and quietly. */
export const chromiumArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The Chromium of Debian with this home. */
export const launchChromium = (home: string, args: readonly string[] = []): Promise<Browser> =>
  chromium.launch({
    executablePath: findProgram('chromium') ?? '',
    args: [...chromiumArguments, ...args],
    env: { ...process.env, HOME: home } as Record<string, string>,
  });
