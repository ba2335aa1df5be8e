export const containerVerbs = ['start', 'stop', 'restart', 'pause', 'resume'] as const;
export type ContainerVerb = (typeof containerVerbs)[number];

export const containerWords: Record<ContainerVerb, { description: string; reply: string; done: string }> = {
  start: { description: 'Starts an allow-listed container', reply: 'CONTAINER_STARTED', done: 'started' },
  stop: {
    description: 'Stops an allow-listed container; it has the time to end that it was made with, 10 s as a rule',
    reply: 'CONTAINER_STOPPED',
    done: 'stopped',
  },
  restart: { description: 'Restarts an allow-listed container', reply: 'CONTAINER_RESTARTED', done: 'restarted' },
  pause: {
    description: 'Pauses an allow-listed container: its processes stand still until it is resumed',
    reply: 'CONTAINER_PAUSED',
    done: 'paused',
  },
  resume: { description: 'Resumes a paused, allow-listed container', reply: 'CONTAINER_RESUMED', done: 'resumed' },
};
