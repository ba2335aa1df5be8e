import fs from 'node:fs';
import path from 'node:path';
import { systemUserLine, unitText } from '../src/app/installation/linux/unit.ts';
import { version } from '../src/app/version.ts';
import { actions, allScopes, modules } from '../src/features/index.ts';
import { apiMarkdown } from '../src/transports/http/openapi/api-markdown.ts';
import { openApiOf } from '../src/transports/http/openapi/openapi.ts';
import { asyncApiOf } from '../src/transports/ws/asyncapi.ts';
import { plainToolsSource } from './agent-tools.ts';
import { clientTypesSource } from './client-types.ts';
import { compactJson } from './compact-json.ts';
import { contentTypesSource } from './content-types.ts';
import { dashboardScopesSource, dashboardSettingsSource } from './dashboard-declarations.ts';
import { iconsSource } from './icons.ts';
import { settingsMarkdown } from './settings-markdown.ts';
import { plainRulesSource } from './settings-rules.ts';

/** The API documents in the repository, for people who read it there, and what is made from libraries. */
const document = await openApiOf({ version, scopes: allScopes, modules, actions });
/** Without what JSON leaves out. */
const jsonFile = (value: unknown) => `${compactJson(JSON.parse(JSON.stringify(value)))}\n`;
const docs = path.resolve(import.meta.dirname, '..', 'docs');
const generated = {
  'openapi.json': jsonFile(document),
  'asyncapi.json': jsonFile(await asyncApiOf({ version, modules, actions })),
  'api.md': apiMarkdown(document),
  'settings.md': await settingsMarkdown(),
  '../deploy/systemd/user/hostler.service': unitText('user', ['/usr/bin/hostler', 'serve']),
  '../deploy/systemd/system/hostler.service': unitText('system', ['/usr/bin/hostler', 'serve']),
  '../deploy/systemd/sysusers.d/hostler.conf': systemUserLine,
  '../src/features/files/content-types.generated.ts': contentTypesSource(),
  '../src/settings/plain-rules.generated.ts': await plainRulesSource(),
  '../src/transports/mcp/plain-tools.generated.ts': await plainToolsSource(),
  '../web/components/icon-shapes.generated.ts': iconsSource(),
  '../web/state/scopes.generated.ts': dashboardScopesSource(),
  '../web/state/settings.generated.ts': await dashboardSettingsSource(),
  '../packages/client/src/events.generated.ts': await clientTypesSource(modules, actions),
};

const shown = (name: string) => path.join('docs', name);
let stale = false;
for (const [name, text] of Object.entries(generated)) {
  const file = path.join(docs, name);
  const fresh = fs.existsSync(file) && fs.readFileSync(file, 'utf8') === text;
  if (process.argv.includes('--check')) {
    if (!fresh) process.stdout.write(`${shown(name)} is not what it is made from; run "npm run generate"\n`);
    stale ||= !fresh;
  } else if (!fresh) {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
    process.stdout.write(`wrote ${shown(name)}\n`);
  }
}
process.exit(stale ? 1 : 0);
