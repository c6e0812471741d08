import 'reflect-metadata';
import { writeFileSync } from 'node:fs';
import { openApiDocument } from './openapi-document.js';

/** `npm run openapi`: writes the document to the file of the first argument. Needs no database. */
const [, , file = 'openapi.json'] = process.argv;
writeFileSync(file, `${JSON.stringify(await openApiDocument(), null, 2)}\n`);
process.exit(0);
