import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { root } from '../support/root.ts'

/** Licences of the installed packages permit redistribution under the terms of `SECURITY.md`. */

const names = z.record(z.string(), z.string()).default({})
const locked = z.object({
  packages: z.record(
    z.string(),
    z.object({
      license: z.string().optional(),
      resolved: z.string().optional(),
      link: z.boolean().default(false),
      dependencies: names,
      optionalDependencies: names,
    }),
  ),
})
const { packages } = locked.parse(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')))

const allowed = [
  ...['MIT', 'MIT-0', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause'],
  ...['Apache-2.0', 'BlueOak-1.0.0', 'CC0-1.0', 'Unlicense'],
]

/** Used unchanged as separate, replaceable files, which satisfies their licences. */
const excepted: Record<string, RegExp> = {
  'LGPL-3.0-or-later': /^@img\/sharp-libvips-/,
  'Apache-2.0 AND LGPL-3.0-or-later': /^@img\/sharp-win32-/,
  'Apache-2.0 AND LGPL-3.0-or-later AND MIT': /^@img\/sharp-wasm32$/,
  'MPL-2.0': /^mediabunny$/,
  'none named': /^@shinyoshiaki\/jspack$/, // its licence file is BSD-3-Clause
}

/** Resolves an imported package from a place in the lockfile as Node.js does. */
function placeOf(name: string, from: string): string | undefined {
  for (let at = from; ; at = at.replace(/\/?[^/]*$/, '')) {
    const path = `${at}/node_modules/${name}`.replace(/^\//, '')
    const found = packages[path]
    if (found) return found.link ? found.resolved : path
    if (at === '') return undefined
  }
}

/** Returns all runtime dependencies of apps and packages, including indirect ones. */
function installed(): string[] {
  const seen = new Set<string>()
  const open = Object.keys(packages).filter((path) => /^(apps|packages)\/[^/]+$/.test(path))
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (seen.has(path)) continue
    seen.add(path)
    const { dependencies, optionalDependencies } = packages[path] ?? {}
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const needed = placeOf(name, path)
      if (needed !== undefined) open.push(needed)
    }
  }
  return [...seen].filter((path) => path.includes('node_modules/'))
}

test('every runtime dependency has an accepted licence, or an exception with a reason', () => {
  const places = installed()
  expect(places.length).toBeGreaterThan(100)
  const others = places.flatMap((path) => {
    const name = path.replace(/^.*node_modules\//, '')
    const { license = 'none named' } = packages[path] ?? {}
    return allowed.includes(license) || excepted[license]?.test(name) ? [] : [`${name}: ${license}`]
  })
  expect(others).toEqual([])
})
