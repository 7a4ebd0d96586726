import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rowTypeFiles } from '@reticle/codegen/row-types'
import { testDatabase } from '@reticle/kit/testing/db'
import { expect, test } from 'vitest'
import { root } from '../support/root.ts'

const { url } = await testDatabase<unknown>([])
const files = await rowTypeFiles(url)

test.each(Object.entries(files))('%s matches the migrated database', (path, text) => {
  const isFresh = readFileSync(join(root, path), 'utf8') === text
  expect(isFresh, 'run npm run codegen').toBe(true)
})
