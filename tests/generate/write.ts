import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { generatedFiles, root } from './files.ts'

/** `npm run codegen`, `npm run openapi`: brings every generated file up to date. */
for (const [path, text] of Object.entries(generatedFiles())) {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
  console.log(path)
}
