import type { ActionDefinition } from './action.ts';
import type { Caller } from './caller.ts';
import { hasScope, type Service } from './service.ts';

/** `power.lock` → `/api/power/lock` */
export const routeOf = ({ name }: Pick<ActionDefinition, 'name'>) => `/api/${name.replaceAll('.', '/')}`;

/** Every action: whether it would work here, and whether this caller may use it. See actionStateSchema. */
export function actionStatesFor(service: Service, caller: Caller) {
  return Promise.all(
    service.actions.map(async (action) => {
      const { name, description, wire, effect, scopes } = action;
      const reason = (await service.unavailable(action)) ?? service.paused(action);
      const allowed = hasScope(caller, ...scopes);
      const route = routeOf(action);
      return {
        name,
        description,
        event: wire.event,
        route,
        effect,
        scopes,
        allowed,
        available: reason === null,
        reason,
      };
    }),
  );
}

export type ActionState = Awaited<ReturnType<typeof actionStatesFor>>[number];
