import fs from 'node:fs';
import path from 'node:path';
import { file, type PackedEntry } from './tree.ts';

/** The documents, which messages of the program refer to, and the files that they refer to. */
export function pages(root: string, prefix: string): PackedEntry[] {
  return pageNames(root).map((name) =>
    file(`${prefix}${name}`, name.endsWith('.md') ? packedPage(root, name) : fs.readFileSync(path.join(root, name))),
  );
}

/** The same with a page of docs as their README. */
export function windowsPages(root: string): PackedEntry[] {
  const readme = packedPage(root, 'docs/windows.md').replaceAll(/\]\((?=[\w/-]+\.md)/g, '](docs/');
  return [file('README.md', readme.replaceAll('](../', '](')), ...pages(root, '')];
}

/** A link to what packages lack, such as measurements, becomes its text; pictures are left out. */
export function packedPage(root: string, name: string): string {
  const names = pageNames(root);
  const isPacked = (target: string) => {
    const [page = ''] = path.posix.join(path.posix.dirname(name), target).split('#');
    return /^(?:\w+:|#)/.test(target) || names.some((each) => each === page || each.startsWith(`${page}/`));
  };
  return fs
    .readFileSync(path.join(root, name), 'utf8')
    .replaceAll(/^!\[.*\n\n/gm, '')
    .replaceAll(/!?\[([^\]]*)\]\(([^)\s]+)\)/g, (link, text, target) => (isPacked(target) ? link : text));
}

function pageNames(root: string): string[] {
  const names = ['docs', 'docs/decisions', 'docs/examples', 'docs/recipes', 'deploy']
    .flatMap((folder) => filesIn(root, folder, folder !== 'docs'))
    .filter((name) => !name.startsWith('deploy/package/') || name.endsWith('.rules'));
  return [...names, 'SECURITY.md'].sort();
}

function filesIn(root: string, folder: string, isWhole: boolean): string[] {
  const names = fs.readdirSync(path.join(root, folder), { recursive: isWhole, encoding: 'utf8' });
  const files = names.filter((name) =>
    isWhole ? fs.statSync(path.join(root, folder, name)).isFile() : name.endsWith('.md'),
  );
  return files.map((name) => `${folder}/${name.replaceAll(path.sep, '/')}`);
}
