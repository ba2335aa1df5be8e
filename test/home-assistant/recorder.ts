import { Database } from 'bun:sqlite';
import path from 'node:path';
import type { Scene } from './scene.ts';

/** The rows of a day, by calculation from some minutes in which the machine does nothing special. */
export async function countRows({ check, home, idOf }: Scene, minutes: number): Promise<void> {
  await check(`rows of the recorder in ${minutes} min`, async () => {
    const [known] = (await idOf('memory_used')).split('_memory');
    const since = Date.now() / 1000;
    await Bun.sleep(minutes * 60_000);
    const database = new Database(path.join(home.configuration, 'home-assistant_v2.db'), { readonly: true });
    try {
      const rows = database
        .query<{ entity_id: string; rows: number }, [number]>(
          `select states_meta.entity_id as entity_id, count(*) as rows from states join states_meta using (metadata_id)
           where last_updated_ts > ? group by states_meta.entity_id order by rows desc`,
        )
        .all(since)
        .filter(({ entity_id }) => entity_id.split('.')[1]?.startsWith(known?.split('.')[1] ?? ''));
      const all = rows.reduce((sum, { rows }) => sum + rows, 0);
      const perDay = Math.round((all * 24 * 60) / minutes);
      const most = rows.slice(0, 3).map(({ entity_id, rows }) => `${entity_id} ${rows}`);
      return `${all} rows of ${rows.length} entities: ${perDay} in 24 h; most: ${most.join(', ')}`;
    } finally {
      database.close();
    }
  });
}
