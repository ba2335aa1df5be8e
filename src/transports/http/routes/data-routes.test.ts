import { expect, test } from 'bun:test';
import { callerWith, fakeAgents } from '../../../../test/harness/agents.ts';
import type { HttpRequest } from '../../../core/route-table.ts';
import { listRoutes } from './data-routes.ts';

test('the schema that a selection of the actions is checked with is made once', async () => {
  const agents = fakeAgents();
  try {
    let made = 0;
    const service = {
      ...agents.service,
      get scopes() {
        made++;
        return agents.service.scopes;
      },
    };
    const routes = listRoutes(service, () => callerWith());
    const request = { rawQuery: 'sort=name&fields=name', path: '/api/actions', headers: new Headers() } as HttpRequest;
    for (let count = 0; count < 3; count++) {
      const response = await routes['/api/actions']?.GET?.(request);
      expect(await response?.json()).toEqual([]);
    }
    expect(made).toBe(1);
  } finally {
    await agents.close();
  }
});
