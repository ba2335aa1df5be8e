import { spawnSync } from 'node:child_process';
import { runHostler, startHostler } from '../real/harness/service.ts';
import { beginFlow, type ConfigEntry, step } from './flows.ts';
import type { HomeAssistant } from './home-assistant.ts';
import { expectTrue, type Report, secondsUntil } from './report.ts';

/**
 * Home Assistant's own integration Model Context Protocol, with a service on its machine. It neither registers itself nor uses PKCE, so it gets
 * credentials of its own.
 */
export async function checkAgentTools(
  { check }: Report,
  home: HomeAssistant,
  within: readonly string[],
): Promise<void> {
  await using service = await startHostler({ through: [...within] });
  const command = async (...args: string[]) => {
    const { stdout, stderr, code } = await runHostler(args, { directory: service.directory });
    if (code !== 0) throw new Error(`hostler ${args.join(' ')}: ${stderr.trim()}`);
    return stdout;
  };
  /** As the page for consent does in a browser beside Home Assistant. */
  const post = (route: string, body: object) => {
    const [program = '', ...before] = [...within, 'curl', '-s', '-H', 'Content-Type: application/json'];
    const { stdout } = spawnSync(program, [...before, '-d', JSON.stringify(body), `${service.base}${route}`], {
      encoding: 'utf8',
    });
    return JSON.parse(stdout) as Record<string, string | null>;
  };
  await check('Model Context Protocol: with credentials and an approval it connects', async () => {
    const redirect = `${home.base}/auth/external/callback`;
    const { flow_id } = await beginFlow(home, { handler: 'mcp' });
    const made = JSON.parse(await command('mcp', 'client', 'home-assistant', '--redirect', redirect, '--json'));
    await home.ask('application_credentials/create', { domain: 'mcp', name: 'Hostler', ...made });
    const choice = await step(home, flow_id, { url: `${service.base}/api/mcp` });
    expectTrue(choice.type === 'menu', JSON.stringify(choice));
    const asked = await step(home, flow_id, { next_step_id: 'pick_implementation' });
    expectTrue(asked.type === 'external', JSON.stringify(asked));
    const claim = 'C'.repeat(43);
    const prompt = post('/oauth/authorize', { query: new URL(asked.url ?? '').search.slice(1), claim });
    expectTrue(typeof prompt.id === 'string', JSON.stringify(prompt));
    // Within the first second an answer does not count.
    await Bun.sleep(1500);
    const shown = await command('approve');
    expectTrue(shown.includes(String(prompt.digits)), shown);
    await command('approve', /approve (?:--\w+ )*([\w-]{4,})/.exec(shown)?.[1] ?? '');
    let location: string | null = null;
    await secondsUntil('the code', async () => {
      location = post('/oauth/answer', { id: prompt.id, claim }).location ?? null;
      return location !== null;
    });
    const returned = await fetch(String(location));
    expectTrue(returned.ok, `the callback answered ${returned.status}`);
    const done = await step(home, flow_id, {});
    expectTrue(done.type === 'create_entry', JSON.stringify(done));
    const entries = async () => (await home.rest<ConfigEntry[]>('GET', '/api/config/config_entries/entry')).body;
    await secondsUntil('the entry', async () =>
      (await entries()).some(({ domain, state }) => domain === 'mcp' && state === 'loaded'),
    );
    return `${(await command('token', 'list')).includes('by OAuth') ? 'one grant' : 'no grant'}`;
  });
}
