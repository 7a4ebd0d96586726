import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { longest } from './longest-first.ts'
import { root } from './reticle.ts'

test('files that start first exist', () => {
  expect(longest.filter((path) => !existsSync(join(root, path)))).toEqual([])
})
