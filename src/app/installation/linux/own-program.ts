/** How this program is started: the built file, or the runtime with our sources. */
export function startCommand(argument: string, { execPath, execArgv, argv }: OwnProcess = process): string[] {
  const [, script = ''] = argv;
  return [execPath, ...(script.startsWith('/$bunfs/') ? [] : [...execArgv, script]), argument];
}

type OwnProcess = Pick<NodeJS.Process, 'execPath' | 'execArgv' | 'argv'>;
