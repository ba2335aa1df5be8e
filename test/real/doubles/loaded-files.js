// Writes the path of every file of src/ that is loaded to the file that LOADED_FILES names.
import fs from 'node:fs';
import { plugin } from 'bun';

plugin({
  name: 'loaded-files',
  setup(build) {
    build.onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
      fs.appendFileSync(process.env.LOADED_FILES, `${path}\n`);
      return { contents: fs.readFileSync(path, 'utf8'), loader: 'ts' };
    });
  },
});
