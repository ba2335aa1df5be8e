export const containerVerbs = ['start', 'stop', 'restart', 'pause', 'resume'] as const;
export type ContainerVerb = (typeof containerVerbs)[number];

export const containerWords: Record<ContainerVerb, { description: string; done: string }> = {
  start: { description: 'Starts an allow-listed container', done: 'started' },
  stop: {
    description: 'Stops an allow-listed container; it has the time to end that it was made with, 10 s as a rule',

    done: 'stopped',
  },
  restart: { description: 'Restarts an allow-listed container', done: 'restarted' },
  pause: {
    description: 'Pauses an allow-listed container: its processes stand still until it is resumed',

    done: 'paused',
  },
  resume: { description: 'Resumes a paused, allow-listed container', done: 'resumed' },
};
