import { readFileSync } from 'node:fs'
import { rowTypes } from '@reticle/kit/db/row-types'
import { testDb } from '@reticle/kit/testing/db'
import { expect, test } from 'vitest'
import { migrations } from './migrations/index.ts'

const db = await testDb<unknown>(migrations, 'projects')

test('the row types are those of the migrated database', async () => {
  const written = readFileSync(new URL('./schema.ts', import.meta.url), 'utf8')
  expect(await rowTypes(db, 'projects', 'ProjectsDb')).toBe(written)
})
