import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { environment } from '@reticle/kit/settings/config'
import type { ProgramEnvironment } from './program.ts'

/**
 * Returns the environment for all programs on this machine.
 *
 * @param path search path for `prlimit`
 */
export async function findProgramEnvironment(
  path = environment.PATH,
): Promise<Pick<ProgramEnvironment, 'limiter' | 'env'>> {
  return { limiter: await onPath('prlimit', path), env: programVariables() }
}

/** Finds a program by its name. */
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
 * Disables character converters: a statically linked FFmpeg crashes on those of the system, which it loads for channel
 * names in transport streams.
 */
const noConverters = '/dev/null'

/** Returns the variables for finding libraries and temporary folders, without the secrets of this process. */
export function programVariables(): Record<string, string> {
  const names = ['PATH', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'SystemRoot', 'TMPDIR', 'TEMP']
  const found = names.flatMap((name) => {
    const value = environment[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...Object.fromEntries(found), GCONV_PATH: noConverters }
}
