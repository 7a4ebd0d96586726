import { readFile, writeFile } from 'node:fs/promises'

/** The content of a file that only its owner may read; made by `make` when it is not there. */
export async function kept(path: string, make: () => string): Promise<string> {
  const known = await readFile(path, 'utf8').catch((error) => {
    if (error instanceof Error && Reflect.get(error, 'code') === 'ENOENT') return undefined
    throw error
  })
  if (known) return known.trim()
  const made = make()
  // An empty one is what a full disk leaves of a first start.
  await writeFile(path, `${made}\n`, { mode: 0o600, flag: known === '' ? 'w' : 'wx' })
  return made
}
