import { type OpenApi, type ShownOperation, sectionsOf } from './openapi.document.ts';

/** The API document as Markdown for the repository. */
export function apiMarkdown(document: OpenApi): string {
  const { title, version, description } = document.info;
  const sections = sectionsOf(document).map(
    (section) => `## ${section.name}\n\n${section.description}.\n\n${section.operations.map(operationText).join('\n')}`,
  );
  return `<!-- Made by "npm run generate" from the schemas. Do not edit. -->\n\n# ${title} ${version}: the HTTP interface\n\n${description}\n\n${sections.join('\n')}`;
}

const operationText = (operation: ShownOperation): string =>
  [
    `### ${operation.method} ${operation.path}\n`,
    `${operation.summary}. ${operation.needsToken ? operation.description : 'No token is needed'}`
      .trim()
      .replace(/\.?$/, '.\n'),
    table('Query', operation.query),
    table('Body', operation.body),
    operation.example === undefined ? '' : `For example: \`${operation.example}\`\n`,
    table('Answer', operation.answer),
    `Statuses: ${operation.statuses.map(([status, , description]) => `${status} ${description}`).join(' · ')}\n`,
  ]
    .filter((part) => part !== '')
    .join('\n');

function table(title: string, rows: string[][] = []): string {
  if (rows.length === 0) return '';
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
  return `| ${title} | Type | Meaning |\n|---|---|---|\n${rows.map(([name = '', type = '', text = '']) => `| \`${name}\` | ${cell(type)} | ${cell(text)} |`).join('\n')}\n`;
}
