import fs from 'node:fs';
import path from 'node:path';
import { root } from './service.ts';

const folder = path.join(root, 'docs', 'recipes');

export const recipeNames = () => fs.readdirSync(folder).map((file) => path.basename(file, '.md'));

/** The blocks of a recipe in one language. */
export function recipeBlocks(name: string, language: string): string[] {
  const text = fs.readFileSync(path.join(folder, `${name}.md`), 'utf8');
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, block = '']) => block);
}

/** A recipe's block with what is different in a test. What is replaced must be there. */
export function adapted(block: string, replacements: Record<string, string>): string {
  return Object.entries(replacements).reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the recipe does not contain ${from}`);
    return text.replaceAll(from, to);
  }, block);
}
