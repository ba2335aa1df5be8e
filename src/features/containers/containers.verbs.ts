interface VerbWords {
  description: string;
  /** Of the command. */
  command: string;
  done: string;
  /** Of the button; pausing is too rare for one. */
  button?: { word: string; icon: string };
}

const words = {
  start: {
    description: 'Starts an allow-listed container',
    command: 'start a container that is in containers.allowlist in the settings',
    done: 'started',
    button: { word: 'Start', icon: 'mdi:play' },
  },
  stop: {
    description: 'Stops an allow-listed container; it has the time to end that it was made with, 10 s as a rule',
    command: 'stop a container',
    done: 'stopped',
    button: { word: 'Stop', icon: 'mdi:stop' },
  },
  restart: {
    description: 'Restarts an allow-listed container',
    command: 'stop a container and start it again',
    done: 'restarted',
    button: { word: 'Restart', icon: 'mdi:restart' },
  },
  pause: {
    description: 'Pauses an allow-listed container: its processes stand still until it is resumed',
    command: 'pause a container: its processes are suspended',
    done: 'paused',
  },
  resume: {
    description: 'Resumes a paused, allow-listed container',
    command: 'resume a paused container',
    done: 'resumed',
  },
} satisfies Record<string, VerbWords>;

export type ContainerVerb = keyof typeof words;
export const containerWords: Record<ContainerVerb, VerbWords> = words;
export const containerVerbs = Object.keys(words) as ContainerVerb[];
