import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { generatedFiles } from '../generate/files.ts'
import { root } from '../support/root.ts'

/** What is generated and committed is what would be generated now (`house.md` 9): `npm run codegen`, `npm run openapi`. */

test.each(Object.entries(generatedFiles()))('%s is fresh', (path, text) => {
  const isFresh = readFileSync(join(root, path), 'utf8') === text
  expect(isFresh, 'run npm run codegen').toBe(true)
})
