import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { root } from '../support/reticle.ts'

const scoreboard = await import(pathToFileURL(join(root, 'scripts/scoreboard.mjs')).href)
const { promises } = z
  .object({ promises: z.record(z.string(), z.array(z.string())) })
  .parse(scoreboard)

test('the table of docs/scoreboard.md lists exactly the known promises', () => {
  const page = readFileSync(join(root, 'docs/scoreboard.md'), 'utf8')
  const ids = [...page.matchAll(/^\| (T-[A-Z]+-\d+) \|/gm)].map(([, id]) => id)
  expect([...new Set(ids)].sort()).toEqual(Object.keys(promises).sort())
})
