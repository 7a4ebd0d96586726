import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { startTestPostgres } from '@reticle/standalone/testing/postgres'
import { generatedFiles, root } from './files.ts'
import { rowTypeFiles } from './row-types.ts'

/** `npm run codegen`: updates every generated file. */
const postgres = await startTestPostgres(process.env.RETICLE_TEST_DATABASE_URL)
const rowTypes = await rowTypeFiles(postgres.url).finally(postgres.stop)
for (const [path, text] of Object.entries({ ...generatedFiles(), ...rowTypes })) {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
  console.log(path)
}
