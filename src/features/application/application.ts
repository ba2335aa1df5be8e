import { defineAction } from '../../core/action.ts';
import { shownAddress } from '../../core/caller.ts';
import { defineFeature } from '../../core/feature.ts';

export const applicationExit = defineAction<object, null>({
  name: 'application.exit',
  description: 'Stops the service',
  input: async () => (await import('./application.schema.ts')).exitInputSchema,
  output: async () => (await import('./application.schema.ts')).exitOutputSchema,
  scopes: ['admin'],
  effect: 'disrupt',
  example: {},
  wire: { event: 'EXIT_APPLICATION', reply: 'APPLICATION_EXITING' },
  unavailable: async () => null,
  async run(_input, { caller, log, exit }) {
    log.info(`application: ${caller.tokenName} at ${shownAddress(caller.connection().address)} stopped the service`);
    exit();
    return { message: '', data: null };
  },
});

export const applicationFeature = defineFeature({
  name: 'application',
  title: 'Service',
  actions: [applicationExit],
});
