import { describe, expect, test } from 'bun:test';
import { settingsCatalogue } from '../features/index.ts';
import { readSettings } from './file.ts';

const form = { schema: await settingsCatalogue.schema(), defaults: settingsCatalogue.defaults };

describe('a key that is not a setting', () => {
  test.each([
    ['{"logLevle": "DEBUG"}', ['there is no setting logLevle (line 1, column 14); did you mean logLevel?']],
    [
      '{\n  "server": {"prot": 1}\n}',
      ['there is no setting server.prot (line 2, column 22); did you mean server.port?'],
    ],
    ['{"port": 9000}', ['there is no setting port (line 1, column 10); did you mean server.port?']],
    ['{"servr": {"port": 1}}', ['there is no setting servr.port (line 1, column 20); did you mean server.port?']],
    [
      '{"server.port": 1}',
      ['there is no setting server.port (line 1, column 17) with a dot in its name; write {"server": {"port": …}}'],
    ],
    ['{"colour": {}}', ['there is no setting colour (line 1, column 12)']],
    ['{"$schema": "./schema.json", "logLevel": "WARN"}', []],
    ['{"modules": {"cpu": {"interval": 500}}}', []],
    ['{"modules": {"cpu": {"intervall": 500, "interval": 500}}}', [expect.stringContaining('modules.cpu.intervall')]],
  ])('%s is reported, with a suggestion', (text, complaints) => {
    expect(readSettings(form, text).complaints).toEqual(complaints);
  });

  test('only some of many are named', () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`key${i}`, i]));
    const { complaints } = readSettings(form, JSON.stringify(many));
    expect(complaints).toHaveLength(21);
    expect(complaints.at(-1)).toBe('and more like these');
  });

  test('only drops itself', () => {
    expect(readSettings(form, '{"nosuch": 1, "logLevel": "WARN"}').settings.logLevel).toBe('WARN');
  });
});
