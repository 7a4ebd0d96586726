import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { generatedFiles } from '@reticle/codegen/files'
import { expect, test } from 'vitest'
import { root } from '../support/root.ts'

/** Committed generated files equal the output of `npm run codegen` and `npm run openapi`. */

test.each(Object.entries(generatedFiles()))('%s is up to date', (path, text) => {
  const isFresh = readFileSync(join(root, path), 'utf8') === text
  expect(isFresh, 'run npm run codegen').toBe(true)
})
