import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Entry } from '../../src/actions/files/files.schema.ts';
import { Icon } from '../parts/icon.tsx';
import { type Column, VirtualTable } from '../parts/virtual-table.tsx';
import { request } from '../state/live.ts';
import { token } from '../state/session.ts';
import { bytes } from '../units.ts';

interface Base {
  key: string;
  name: string;
  path: string;
}

export function Files() {
  const bases = useSignal<Base[]>([]);
  const base = useSignal<Base | null>(null);
  /** Inside the base, without a slash at either end. */
  const folder = useSignal('');
  const entries = useSignal<Entry[]>([]);
  const chosen = useSignal<Entry | null>(null);
  const problem = useSignal('');

  const open = async (nextBase: Base, nextFolder: string) => {
    try {
      const { data } = await request('GET_FILES', { base: nextBase.key, path: nextFolder || null });
      entries.value = data as Entry[];
      base.value = nextBase;
      folder.value = nextFolder;
      chosen.value = null;
      problem.value = '';
    } catch (thrown) {
      problem.value = thrown instanceof Error ? thrown.message : String(thrown);
    }
  };

  useEffect(() => {
    request('GET_DIRECTORIES').then(
      ({ data }) => {
        bases.value = data as Base[];
        const [first] = bases.value;
        if (first !== undefined) void open(first, '');
      },
      (thrown) => {
        problem.value = thrown.message;
      },
    );
  }, []);

  const here = base.value;
  const inside = (name: string) => (folder.value === '' ? name : `${folder.value}/${name}`);
  const columns: Column<Entry>[] = [
    {
      key: 'name',
      title: 'Name',
      // Directories first, as everywhere.
      value: ({ name, isDirectory }) => `${isDirectory ? 0 : 1}${name.toLowerCase()}`,
      show: (entry) => (
        <button
          type="button"
          class="link"
          onClick={() => {
            if (entry.isDirectory && here !== null) void open(here, inside(entry.name));
            else chosen.value = entry;
          }}
        >
          {entry.isDirectory ? <Icon name="folder" /> : null}
          {entry.name}
        </button>
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
      title: 'Changed',
      value: ({ modTime }) => modTime,
      show: ({ modTime }) => modTime.slice(0, 16).replace('T', ' '),
      secondary: true,
      width: 'broad',
    },
    {
      key: 'contentType',
      title: 'Kind',
      value: ({ contentType }) => contentType ?? null,
      show: ({ contentType }) => contentType ?? '',
      secondary: true,
      width: 'broad',
    },
  ];
  return (
    <>
      <div class="buttons">
        {bases.value.map((each) => (
          <button
            key={each.key}
            type="button"
            class="plain"
            aria-pressed={each === here}
            onClick={() => void open(each, '')}
          >
            {each.name}
          </button>
        ))}
      </div>
      {here === null ? null : <Crumbs base={here} folder={folder.value} open={(to) => void open(here, to)} />}
      <p class="problem" role="alert">
        {problem.value}
      </p>
      {chosen.value === null || here === null ? null : (
        <Preview entry={chosen.value} url={fileUrl(here, inside(chosen.value.name))} />
      )}
      <VirtualTable
        rows={entries.value}
        columns={columns}
        rowKey={({ path }) => path}
        sortedBy="name"
        descending={false}
        label="Files"
      />
    </>
  );
}

function Crumbs({ base, folder, open }: { base: Base; folder: string; open(to: string): void }) {
  const parts = folder === '' ? [] : folder.split('/');
  return (
    <nav aria-label="Where you are" class="crumbs">
      <button type="button" class="link" onClick={() => open('')}>
        {base.name}
      </button>
      {parts.map((part, index) => (
        <span key={parts.slice(0, index + 1).join('/')}>
          {' / '}
          <button type="button" class="link" onClick={() => open(parts.slice(0, index + 1).join('/'))}>
            {part}
          </button>
        </span>
      ))}
    </nav>
  );
}

/** The only address that takes a token in its query: players and pictures can send no header. */
function fileUrl({ key }: Base, path: string): string {
  return `/api/media/file/data?${new URLSearchParams({ base: key, path, token: token.value ?? '' })}`;
}

function Preview({ entry: { name, contentType = '' }, url }: { entry: Entry; url: string }) {
  const kind = contentType.split('/')[0];
  return (
    <figure class="preview">
      {kind === 'image' ? <img src={url} alt={name} /> : null}
      {kind === 'audio' ? (
        // biome-ignore lint/a11y/useMediaCaption: files of the user come without captions
        <audio src={url} controls aria-label={name} />
      ) : null}
      {kind === 'video' ? (
        // biome-ignore lint/a11y/useMediaCaption: files of the user come without captions
        <video src={url} controls aria-label={name} />
      ) : null}
      <figcaption>
        {name} ·{' '}
        <a href={url} download={name}>
          Download
        </a>
      </figcaption>
    </figure>
  );
}
