/** What a test needs from the system, and why Windows lacks it. */
const onWindows = {
  shell: 'Windows has no /bin/sh, with which these tests make a program misbehave; test/real runs commands under Wine',
  modes: 'Windows has no permission bits: rights are lists, which test/real checks',
  links: 'making links needs a right on Windows that users do not have',
  clock: "Windows counts a thread's time in ticks of its scheduler",
  paths: 'these are the places of another system, whose paths are not absolute on Windows',
  refusals: 'under Wine the runtime takes a connection that was refused for an open one',
} as const;

/** Whether this system lacks something, for `skipIf`; the reason is printed. */
export function lacks(...needs: (keyof typeof onWindows)[]): boolean {
  if (process.platform !== 'win32') return false;
  for (const need of needs) console.warn(`skipped: ${onWindows[need]}`);
  return true;
}
