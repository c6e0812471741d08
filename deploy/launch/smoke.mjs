// npm run smoke: loads the TDLib library and parses the entities of a text. Needs no network, no database and no build:
// when this passes, the machine can run TDLib.
import { createRequire } from 'node:module';
import { ensureInstalled } from './lib/install.mjs';
import { at, Failure, launch } from './lib/project.mjs';

const TEXT = 'Hello, @durov: https://telegram.org #tdlib';
const EXPECTED = ['textEntityTypeMention', 'textEntityTypeUrl', 'textEntityTypeHashtag'];

await launch(async () => {
  await ensureInstalled();
  const require = createRequire(at('backend/package.json'));
  const library = process.env['TDLIB_PATH'] ?? require('prebuilt-tdlib').getTdjson();
  const tdl = require('tdl');
  tdl.configure({ tdjson: library, verbosityLevel: 0 });
  const version = tdl.execute({ _: 'getOption', name: 'version' });
  const found = tdl.execute({ _: 'getTextEntities', text: TEXT });
  const types = (found?.entities ?? []).map((entity) => entity.type._);
  if (JSON.stringify(types) !== JSON.stringify(EXPECTED)) {
    throw new Failure(`TDLib found ${types.join(', ') || 'nothing'} in “${TEXT}”; expected ${EXPECTED.join(', ')}.`);
  }
  console.log(`TDLib ${version?.value ?? ''} (${library})`);
  for (const { offset, length, type } of found.entities) {
    console.log(`  ${TEXT.slice(offset, offset + length).padEnd(22)} ${type._}`);
  }
  console.log('smoke: ok');
});
