import { schemaFieldsOf } from './fields.ts';
import { answerOf, type OpenApi, type OpenApiOperation, operationsOf } from './openapi.ts';

/** The API document as Markdown for the repository. */
export function apiMarkdown({ info, tags, paths, components }: OpenApi): string {
  const operations = operationsOf(paths);
  const sections = tags.map(({ name, description }) => {
    const mine = operations.filter(({ operation }) => operation.tags.includes(name));
    return `## ${name}\n\n${description}.\n\n${mine.map(({ path, method, operation }) => section(path, method, operation, components.schemas)).join('\n')}`;
  });
  return `<!-- Made by "npm run generate" from the schemas. Do not edit. -->\n\n# ${info.title} ${info.version}: the HTTP interface\n\n${info.description}\n\n${sections.join('\n')}`;
}

function section(
  path: string,
  method: string,
  operation: OpenApiOperation,
  schemas: OpenApi['components']['schemas'],
): string {
  const body = operation.requestBody?.content['application/json']?.schema;
  const answer = answerOf(operation);
  return [
    `### ${method} ${path}\n`,
    `${operation.summary}. ${operation.security?.length === 0 ? 'No token is needed' : (operation.description ?? '')}`
      .trim()
      .replace(/\.?$/, '.\n'),
    operation.parameters === undefined
      ? ''
      : table(
          'Query',
          operation.parameters.map(({ name, description }) => [name, 'string', description]),
        ),
    body === undefined ? '' : table('Body', schemaFieldsOf(body, schemas)),
    shownExample(operation),
    answer === undefined ? '' : table('Answer', schemaFieldsOf(answer, schemas)),
    `Statuses: ${Object.entries(operation.responses)
      .map(([status, { description }]) => `${status} ${description}`)
      .join(' · ')}\n`,
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function shownExample({ requestBody }: OpenApiOperation): string {
  const example = requestBody?.content['application/json']?.example;
  return example === undefined ? '' : `For example: \`${JSON.stringify(example)}\`\n`;
}

function table(title: string, rows: string[][]): string {
  if (rows.length === 0) return '';
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
  return `| ${title} | Type | Meaning |\n|---|---|---|\n${rows.map(([name = '', type = '', text = '']) => `| \`${name}\` | ${cell(type)} | ${cell(text)} |`).join('\n')}\n`;
}
