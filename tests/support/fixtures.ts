import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './reticle.ts'

/** Sample data of other tools is stored outside of the repository; CI always has it next to the checkout. */
const folder = join(root, '../shared/fixtures')

export const hasFixtures = existsSync(folder)
if (!hasFixtures) console.warn(`SKIPPED: stories on real archives, because ${folder} is not there`)

export const fixture = (path: string) => readFileSync(join(folder, path))
