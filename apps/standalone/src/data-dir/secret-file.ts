import { readFile, writeFile } from 'node:fs/promises'

/** Reads a file that only its owner may read; creates it with `make` when it is missing or empty. */
export async function readOrCreateSecret(path: string, make: () => string): Promise<string> {
  const known = await readFile(path, 'utf8').catch((error) => {
    if (error instanceof Error && Reflect.get(error, 'code') === 'ENOENT') return undefined
    throw error
  })
  if (known) return known.trim()
  const made = make()
  // A full disk may leave an empty file at the first start.
  await writeFile(path, `${made}\n`, { mode: 0o600, flag: known === '' ? 'w' : 'wx' })
  return made
}
