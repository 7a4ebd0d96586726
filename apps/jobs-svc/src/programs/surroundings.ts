import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { environment } from '@reticle/kit/config'
import type { Surroundings } from './program.ts'

/** What all programs are started with on this machine. @param path of `prlimit` among others */
export async function surroundingsHere(
  path = environment.PATH,
): Promise<Pick<Surroundings, 'limiter' | 'env'>> {
  return { limiter: await onPath('prlimit', path), env: programEnvironment() }
}

/** Where the program of that name is. */
export async function onPath(name: string, path = ''): Promise<string | undefined> {
  const ends = process.platform === 'win32' ? ['.exe'] : ['']
  for (const folder of path.split(delimiter).filter((one) => one !== ''))
    for (const end of ends) {
      const candidate = join(folder, `${name}${end}`)
      const isThere = await access(candidate, constants.X_OK).then(
        () => true,
        () => false,
      )
      if (isThere) return candidate
    }
  return undefined
}

/**
 * No folder: without converters of characters. A statically linked FFmpeg crashes on those of the system, which it loads for the
 * names of channels in transport streams.
 */
const noConverters = '/dev/null'

/** What programs need to find their libraries and a place for temporary files; above all not the secrets of this process. */
export function programEnvironment(): Record<string, string> {
  const names = ['PATH', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'SystemRoot', 'TMPDIR', 'TEMP']
  const found = names.flatMap((name) => {
    const value = environment[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...Object.fromEntries(found), GCONV_PATH: noConverters }
}
