import manifest from '../../package.json' with { type: 'json' };

/** The one place the version comes from. */
export const { version } = manifest;
