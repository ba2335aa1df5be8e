import { signal } from '@preact/signals';
import type { FileEntry, FileInfo } from '../../../src/features/files/files.schema.ts';
import { Switch } from '../../components/field.tsx';
import { Icon } from '../../components/icon.tsx';
import { When } from '../../components/time.tsx';
import { type Column, VirtualTable } from '../../components/virtual-table.tsx';
import { Link, path } from '../../shell/route.tsx';
import { answerTo, useLoaded } from '../../state/loaded.ts';
import { bytes } from '../../units.ts';
import { Preview } from './preview.tsx';

interface Base {
  key: string;
  name: string;
  path: string;
}

/** The directory of an address, and the selected file. */
interface Place {
  base: string;
  folder: string[];
  entries: FileEntry[];
  chosen: FileEntry | null;
}

/** For as long as the page is open, whichever directory is shown. */
const showHidden = signal(false);

/** `/files/music/A%20band/1.flac`: every directory and every file has an address of its own. */
export function Files() {
  const [wantedBase, ...wanted] = path.value.split('/').slice(2).filter(Boolean).map(decodeURIComponent);
  const { data, problem } = useLoaded(() => answerTo<Base[]>('GET_DIRECTORIES'));
  const bases = data ?? [];
  const base = wantedBase ?? bases[0]?.key;
  const load = async () => (base === undefined ? null : await visit(base, wanted));
  const { data: here, problem: missing } = useLoaded(load, { on: [base, path.value] });
  const hidden = here?.entries.filter(isHidden).length ?? 0;
  const rows = here?.entries.filter((entry) => showHidden.value || !isHidden(entry)) ?? [];
  return (
    <>
      <div class="buttons">
        {bases.map(({ key, name }) => (
          <Link key={key} to={addressOf(key, [])} class="button" current={key === base}>
            {name}
          </Link>
        ))}
      </div>
      <p class="problem" role="alert">
        {missing || problem}
      </p>
      {here === null ? null : (
        <>
          <Crumbs place={here} name={bases.find(({ key }) => key === here.base)?.name ?? here.base} />
          {here.chosen === null ? null : (
            <Preview
              key={here.chosen.path}
              entry={here.chosen}
              base={here.base}
              path={[...here.folder, here.chosen.name].join('/')}
            />
          )}
          {hidden === 0 ? null : <Switch value={showHidden}>Show hidden files ({hidden})</Switch>}
          {rows.length === 0 ? (
            <p class="quiet">{hidden === 0 ? 'This folder is empty.' : 'This folder has hidden files only.'}</p>
          ) : (
            <VirtualTable
              key={addressOf(here.base, here.folder)}
              rows={rows}
              columns={columnsOf(here)}
              rowKey={({ name }) => name}
              sortedBy="name"
              descending={false}
              label="Files"
            />
          )}
        </>
      )}
    </>
  );
}

async function visit(base: string, wanted: readonly string[]): Promise<Place> {
  const list = (folder: string[]) => answerTo<FileEntry[]>('GET_FILES', { base, path: folder.join('/') || null });
  if (wanted.length === 0) return { base, folder: [], entries: await list([]), chosen: null };
  const chosen = await answerTo<FileInfo>('GET_FILE', { base, path: wanted.join('/') });
  const folder = chosen.isDirectory ? [...wanted] : wanted.slice(0, -1);
  return { base, folder, entries: await list(folder), chosen: chosen.isDirectory ? null : chosen };
}

const isHidden = ({ name }: FileEntry) => name.startsWith('.');

const addressOf = (base: string, parts: readonly string[]) =>
  `/files/${[base, ...parts].map(encodeURIComponent).join('/')}`;

const columnsOf = ({ base, folder, chosen }: Place): Column<FileEntry>[] => [
  {
    key: 'name',
    title: 'Name',
    // Directories first, as everywhere.
    value: ({ name, isDirectory }) => `${isDirectory ? 0 : 1}${name.toLowerCase()}`,
    show: ({ name, isDirectory }) => (
      <Link to={addressOf(base, [...folder, name])} current={name === chosen?.name}>
        {isDirectory ? <Icon name="folder" /> : null}
        {name}
      </Link>
    ),
    width: 'wide',
  },
  {
    key: 'size',
    title: 'Size',
    value: ({ size, isDirectory }) => (isDirectory ? null : size),
    show: ({ size, isDirectory }) => (isDirectory ? '' : bytes(size)),
    number: true,
    width: 'middle',
  },
  {
    key: 'modTime',
    title: 'Modified',
    value: ({ modTime }) => modTime,
    show: ({ modTime }) => <When at={modTime} />,
    secondary: true,
    width: 'middle',
  },
  {
    key: 'contentType',
    title: 'Type',
    value: ({ contentType }) => contentType ?? null,
    show: ({ contentType }) => contentType ?? '',
    secondary: true,
    width: 'middle',
  },
];

function Crumbs({ place: { base, folder }, name }: { place: Place; name: string }) {
  return (
    <nav aria-label="Breadcrumb" class="crumbs">
      <Link to={addressOf(base, [])}>{name}</Link>
      {folder.map((part, index) => (
        <span key={addressOf(base, folder.slice(0, index + 1))}>
          {' / '}
          <Link to={addressOf(base, folder.slice(0, index + 1))}>{part}</Link>
        </span>
      ))}
    </nav>
  );
}
