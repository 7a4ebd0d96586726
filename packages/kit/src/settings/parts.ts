import type { z } from 'zod'
import { ConfigError, type Env, readEnv } from './config.ts'

/** Reader of one part of the settings, with the names of its variables. It throws ConfigError. */
export interface SettingsPart<T> {
  (env: Env): T
  names: readonly string[]
}

/** Builds a part of the settings from a schema of variables and a function that converts them. The result is frozen. */
export function defineSettings<S extends z.ZodObject, T>(
  schema: S,
  read: (given: Readonly<z.output<S>>) => T,
): SettingsPart<Readonly<T>> {
  return Object.assign((env: Env) => freeze(read(readEnv(schema, env))), {
    names: Object.keys(schema.shape),
  })
}

/** Freezes a value deeply, except bytes, which cannot be frozen. */
function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  for (const inner of Object.values(value)) freeze(inner)
  return Object.freeze(value)
}

/**
 * Makes a part required.
 * @param problem message if it is absent: `NAME: needed: ...`
 */
export function requireSettings<T>(
  one: SettingsPart<T | undefined>,
  problem: string,
): SettingsPart<T> {
  const read = (env: Env) => {
    const value = one(env)
    if (value === undefined) throw new ConfigError([problem])
    return value
  }
  return Object.assign(read, { names: one.names })
}

/** Parts of the settings of a process, by the names it uses. */
export type SettingsParts = Record<string, SettingsPart<unknown>>
export type SettingsOf<P extends SettingsParts> = { [K in keyof P]: ReturnType<P[K]> }

/**
 * Reads all parts of a process before anything starts.
 * @throws ConfigError listing the invalid variables of all parts
 */
export function readParts<P extends SettingsParts>(parts: P, env: Env): SettingsOf<P> {
  const problems: string[] = []
  const read = Object.entries(parts).map(([name, one]) => {
    try {
      return [name, one(env)]
    } catch (thrown) {
      if (!(thrown instanceof ConfigError)) throw thrown
      problems.push(...thrown.problems)
      return [name, undefined]
    }
  })
  if (problems.length > 0) throw new ConfigError([...new Set(problems)])
  return Object.fromEntries(read) as SettingsOf<P>
}

/** Returns the names of all variables that the parts read. */
export const namesOf = (parts: SettingsParts): string[] => [
  ...new Set(Object.values(parts).flatMap(({ names }) => names)),
]
