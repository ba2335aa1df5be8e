import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { FileEntry, FileInfo } from '../../../src/features/files/files.schema.ts';
import { Icon } from '../../components/icon.tsx';
import { When } from '../../components/time.tsx';
import { type Column, VirtualTable } from '../../components/virtual-table.tsx';
import { Link, path } from '../../shell/route.tsx';
import { request } from '../../state/live.ts';
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
  const bases = useSignal<Base[]>([]);
  const place = useSignal<Place | null>(null);
  const problem = useSignal('');
  const [wantedBase, ...wanted] = path.value.split('/').slice(2).filter(Boolean).map(decodeURIComponent);

  useEffect(() => {
    request('GET_DIRECTORIES').then(
      ({ data }) => {
        bases.value = data as Base[];
      },
      (thrown) => {
        problem.value = thrown.message;
      },
    );
  }, []);

  const base = wantedBase ?? bases.value[0]?.key;
  useEffect(() => {
    if (base === undefined) return;
    let over = false;
    visit(base, wanted).then(
      (found) => {
        if (over) return;
        place.value = found;
        problem.value = '';
      },
      (thrown) => {
        if (!over) problem.value = thrown.message;
      },
    );
    return () => {
      over = true;
    };
  }, [base, path.value]);

  const here = place.value;
  const hidden = here?.entries.filter(isHidden).length ?? 0;
  const rows = here?.entries.filter((entry) => showHidden.value || !isHidden(entry)) ?? [];
  return (
    <>
      <div class="buttons">
        {bases.value.map(({ key, name }) => (
          <Link key={key} to={addressOf(key, [])} class="button" current={key === base}>
            {name}
          </Link>
        ))}
      </div>
      <p class="problem" role="alert">
        {problem.value}
      </p>
      {here === null ? null : (
        <>
          <Crumbs place={here} name={bases.value.find(({ key }) => key === here.base)?.name ?? here.base} />
          {here.chosen === null ? null : (
            <Preview
              key={here.chosen.path}
              entry={here.chosen}
              base={here.base}
              path={[...here.folder, here.chosen.name].join('/')}
            />
          )}
          {hidden === 0 ? null : (
            <label class="check">
              <input
                type="checkbox"
                checked={showHidden.value}
                onChange={({ currentTarget: { checked } }) => {
                  showHidden.value = checked;
                }}
              />
              Show hidden files ({hidden})
            </label>
          )}
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
  const list = async (folder: string[]) =>
    (await request('GET_FILES', { base, path: folder.join('/') || null })).data as FileEntry[];
  if (wanted.length === 0) return { base, folder: [], entries: await list([]), chosen: null };
  const { data } = await request('GET_FILE', { base, path: wanted.join('/') });
  const chosen = data as FileInfo;
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
